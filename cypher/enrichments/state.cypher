// How far the layers over a collection are.
//
// Parameters  $collection  STRING  the collection, for example 'main'
// Returns     name, recipe, fingerprint  STRING
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (layer:Layer)
WHERE layer.collection = $collection
RETURN layer.name AS name, layer.recipe AS recipe, layer.fingerprint AS fingerprint
ORDER BY name
