// Papers of a collection that a key or a content belongs to, locked until the transaction ends.
//
// Parameters  $collection  STRING  where to look, for example 'main'
//             $key         STRING  key of a paper, main or other
//             $content     STRING  sha-256 hex of the source's bytes, or '' to look by key only
// Returns     id, key, content, recipe  STRING
//             keys, sources  LIST<STRING>  in pairs
// Index       paper_key, paper_content, paper_shared (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main', key: 'doi:10.1000/182', content: ''}
CYPHER 25
CALL () {
  MATCH (paper:Paper {collection: $collection, key: $key})
  RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection})
  WHERE paper.nKeys > 1 AND $key IN paper.keys
  RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection, contentHash: $content})
  RETURN paper
}
SET paper.nKeys = paper.nKeys  // takes the node's write lock before anything is read from it
WITH paper WHERE paper.id IS NOT NULL  // else it was deleted while we waited
RETURN paper.id AS id, paper.key AS key, paper.contentHash AS content, paper.recipe AS recipe, paper.keys AS keys,
       paper.sources AS sources
ORDER BY id
