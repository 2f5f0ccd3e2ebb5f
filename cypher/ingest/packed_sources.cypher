// Sources with a packed text: their papers show the text of another source.
//
// Parameters  $collection  STRING        where they stand, for example 'main'
//             $names       LIST<STRING>  names of the sources
// Returns     source  MAP  its properties
// Index       source_id (schema/model.py)
// Try it      :param {collection: 'main', names: ['/papers/library.bib#smith2019']}
CYPHER 25
UNWIND $names AS name
MATCH (source:Source {id: $collection + ' ' + name})
WHERE source.parts IS NOT NULL
RETURN properties(source) AS source
ORDER BY source.id
