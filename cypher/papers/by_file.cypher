// The paper of a collection that a file with some name became, by the beginning of the paper's id.
//
// Parameters  $collection  STRING  for example 'main'
//             $name        STRING  name of the file, for example 'a.md'
//             $prefix      STRING  first digits of the paper's id
// Returns     paper  MAP  properties, the embedding left out
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', name: 'a.md', prefix: '00'}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id STARTS WITH $prefix AND paper.collection = $collection
  AND any(key IN paper.keys WHERE key STARTS WITH 'file:/' AND key ENDS WITH '/' + $name)
RETURN paper { .*, embedding: null, secondEmbedding: null } AS paper
