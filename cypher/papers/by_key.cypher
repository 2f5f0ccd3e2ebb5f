// The paper of a collection that has a key, main or other, or a source with an arXiv id or citation key.
//
// Parameters  $collection  STRING  for example 'main'
//             $key         STRING  for example 'doi:10.1000/182', 'arxiv:2401.01234' or '@smith2019'
// Returns     paper  MAP  properties, the embedding left out
// Index       paper_key, paper_shared, source_arxiv, source_cite_key (schema/model.py)
// Try it      :param key => head(COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.key LIMIT 1 })
//             :param {collection: 'main'}
CYPHER 25
CALL () {
  MATCH (paper:Paper {collection: $collection, key: $key})
  RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection})
  WHERE paper.nKeys > 1 AND $key IN paper.keys
  RETURN paper
  UNION
  MATCH (source:Source {collection: $collection, citeKey: substring($key, 1)})
  MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
  WHERE $key STARTS WITH '@'
  RETURN paper
  UNION
  MATCH (source:Source {collection: $collection, arxivId: substring($key, 6)})
  MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
  WHERE $key STARTS WITH 'arxiv:'
  RETURN paper
}
RETURN paper { .*, embedding: null, secondEmbedding: null } AS paper
