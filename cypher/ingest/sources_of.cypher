// All sources of the paper that has a key, main or other, or an id.
//
// Parameters  $collection  STRING  where to look, for example 'main'
//             $key         STRING  key of one of its sources, or id of the paper
// Returns     source  MAP  properties, packed texts left out; in order of names
// Index       source_key (schema/model.py)
//             paper_id (schema/model.py)
// Try it      :param key => head(COLLECT { MATCH (s:Source {collection: 'main'}) RETURN s.key LIMIT 1 })
//             :param {collection: 'main'}
CYPHER 25
CALL () {
  MATCH (paper:Paper)-[:HAS_SOURCE]->(:Source {collection: $collection, key: $key})
  RETURN paper
  UNION
  MATCH (paper:Paper {id: $key})
  WHERE paper.collection = $collection
  RETURN paper
}
MATCH (paper)-[:HAS_SOURCE]->(source:Source)
RETURN source { .*, parts: null } AS source
ORDER BY source.name
