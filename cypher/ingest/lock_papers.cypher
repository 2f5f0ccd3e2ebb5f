// Papers of a collection that keys or contents belong to, locked until the transaction ends.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $rows        LIST<MAP>  {key, content}: a key of a paper, main or other, and the sha-256 hex of a
//                                     source's bytes, or '' to look by key only
// Returns     number  INTEGER  position of the row in $rows
//             id, key, content, config_hash  STRING
//             keys, sources  LIST<STRING>  in pairs
//             has_enrichments  BOOLEAN  whether enrichments stand for it
// Index       paper_key, paper_content, paper_shared (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main'}
//             :param rows => [{key: 'doi:10.1000/182', content: ''}]
CYPHER 25
UNWIND range(0, size($rows) - 1) AS number
WITH number, $rows[number] AS row
CALL (row) {
  MATCH (paper:Paper {collection: $collection, key: row.key})
  RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection})
  WHERE paper.nKeys > 1 AND row.key IN paper.keys
  RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection, contentHash: row.content})
  RETURN paper
}
WITH number, paper ORDER BY elementId(paper)
SET paper.nKeys = paper.nKeys  // takes the node's write lock before anything is read from it
WITH number, paper WHERE paper.id IS NOT NULL  // else it was deleted while we waited
RETURN number, paper.id AS id, paper.key AS key, paper.contentHash AS content, paper.configHash AS config_hash,
       paper.keys AS keys, paper.sources AS sources,
       coalesce(paper.enrichments, paper.pageRank, paper.linksConfigHash) IS NOT NULL AS has_enrichments
ORDER BY number, id
