// Write papers' own nodes.
//
// Parameters  $rows  LIST<MAP>  {id, properties, embedding}: all of a paper's properties except its vector, length 1
// Returns     nothing
// Try it      :param rows => [{id: 'a1', embedding: [1.0, 0.0], properties: {id: 'a1', collection: 'main'}}]
CYPHER 25
UNWIND $rows AS row
MERGE (paper:Paper {id: row.id})
SET paper = row.properties, paper.ingestedAt = datetime()
WITH row, paper
CALL db.create.setNodeVectorProperty(paper, 'embedding', row.embedding)
