// Note of what a layer over a collection was made.
//
// Parameters  $id           STRING  id of the layer
//             $collection   STRING  the collection, for example 'main'
//             $name         STRING  name of the layer
//             $recipe       STRING  sha-256 hex over all that decides what it makes
//             $fingerprint  STRING  sha-256 hex over what it was made of
// Returns     nothing
// Try it      :param {id: 'l1', collection: 'main', name: 'clusters', recipe: 'ab', fingerprint: 'cd'}
CYPHER 25
MERGE (layer:Layer {id: $id})
SET layer.collection = $collection, layer.name = $name, layer.recipe = $recipe,
    layer.fingerprint = $fingerprint, layer.updatedAt = datetime()
