// Write papers' fields, keys and sources; what stood with other papers moves, and years of parts follow.
//
// Parameters  $rows  LIST<MAP>  {id, fields, keys, names, sources}: a paper's id, its fields, keys with names of their
//                               documents, the paper's own first, and the properties of all its sources
// Returns     id  STRING  of papers that may cite or be cited, or did, for cite_papers; in order
// Revises     papers $rows.id, and itself those that a source leaves
// Try it      :param rows => [{id: 'a1', fields: {title: 'Tides'}, keys: ['k1'], names: ['/a.md'], sources: [{id: 'u1', name: '/a.md'}]}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper += row.fields, paper.key = row.keys[0], paper.keys = row.keys, paper.sources = row.names,
    paper.nKeys = size(row.keys)
WITH row, paper
CALL (row, paper) {
  UNWIND row.sources AS given
  MERGE (source:Source {id: given.id})
  SET source = given
  MERGE (paper)-[:HAS_SOURCE]->(source)
  WITH paper, source
  MATCH (other:Paper)-[old:HAS_SOURCE]->(source)
  WHERE other.id <> paper.id
  SET other.revision = randomUUID()
  DELETE old
}
CALL (paper) {
  MATCH (chunk:Chunk {paperId: paper.id})
  WHERE chunk.ordinal >= 0 AND coalesce(chunk.year, 0) <> coalesce(paper.year, 0)
  SET chunk.year = paper.year
}
CALL (paper) {
  MATCH (question:Question {paperId: paper.id})
  WHERE coalesce(question.year, 0) <> coalesce(paper.year, 0)
  SET question.year = paper.year
}
WITH paper
WHERE coalesce(paper.nReferences, 0) > 0 OR coalesce(paper.doi, paper.arxivId, paper.titleKey) IS NOT NULL
  OR EXISTS { (paper)-[:CITES]-(:Paper) }
RETURN paper.id AS id
ORDER BY id
