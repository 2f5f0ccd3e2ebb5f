// Contents of sources of a collection.
//
// Parameters  $collection  STRING        for example 'main'
//             $sources     LIST<STRING>  names of sources
// Returns     hash  STRING  content hash, sha-256 in hex
// Index       source_id (schema/model.py)
// Try it      :param {collection: 'main'}
//             :param sources => COLLECT { MATCH (s:Source) RETURN s.name LIMIT 3 }
CYPHER 25
UNWIND $sources AS name
MATCH (source:Source {id: $collection + ' ' + name})
WHERE source.contentHash IS NOT NULL
RETURN source.contentHash AS hash
