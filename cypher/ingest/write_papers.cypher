// Write papers' own nodes, and tell which of them may cite or be cited: those that have references, an id or a title key, or had.
//
// Parameters  $rows  LIST<MAP>  {id, properties, vector}: all of a paper's properties except its vector, of length 1
// Returns     id  STRING  of papers for cite_papers, in order
// Slots       embedding
// Try it      :param rows => [{id: 'a1', vector: [1.0, 0.0], properties: {id: 'a1', collection: 'main'}}]
CYPHER 25
UNWIND $rows AS row
MERGE (paper:Paper {id: row.id})
WITH row, paper, coalesce(paper.nReferences, 0) > 0 OR coalesce(paper.doi, paper.arxivId, paper.titleKey) IS NOT NULL AS had
SET paper = row.properties, paper.ingestedAt = datetime()
WITH row, paper, had
CALL db.create.setNodeVectorProperty(paper, 'embedding', row.vector)
WITH paper, had
WHERE had OR coalesce(paper.nReferences, 0) > 0 OR coalesce(paper.doi, paper.arxivId, paper.titleKey) IS NOT NULL
RETURN paper.id AS id
ORDER BY id
