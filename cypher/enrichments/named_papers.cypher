// Papers of a collection that are called by one of their keys, or by their id.
//
// Parameters  $collection  STRING        the collection
//             $names       LIST<STRING>  keys or ids
// Returns     name, key  STRING  what it was called by, and its first key
// Index       paper_key, paper_id (schema/model.py)
// Try it      :param collection => 'main'
//             :param names => COLLECT { MATCH (p:Paper) RETURN p.key LIMIT 1 }
CYPHER 25
UNWIND $names AS name
CALL (name) {
  MATCH (paper:Paper {collection: $collection, key: name})
  RETURN paper
  UNION
  MATCH (paper:Paper {id: name}) WHERE paper.collection = $collection
  RETURN paper
}
RETURN name, paper.key AS key ORDER BY name
