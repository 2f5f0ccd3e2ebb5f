// Collections that have a paper with one of some keys, at most ten.
//
// Parameters  $keys  LIST<STRING>  for example ['doi:10.1000/182']
// Returns     collection  STRING
// Index       paper_key (schema/model.py), all of which is read
// Try it      :param keys => COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.key LIMIT 1 }
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IS NOT NULL AND paper.key IN $keys
RETURN DISTINCT paper.collection AS collection
ORDER BY collection LIMIT 10
