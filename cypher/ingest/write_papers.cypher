// Write papers' own nodes; what enrichments have noted on them stays, unless it was cleared before, and the editorial
// status while the DOI is the same.
//
// Parameters  $rows  LIST<MAP>  {id, properties, vector}: all of a paper's properties except its vector, of length 1, or
//                               null where it is missing
// Returns     nothing
// Revises     papers $rows.id
// Slots       embedding
// Try it      :param rows => [{id: 'a1', vector: [1.0, 0.0], properties: {id: 'a1', collection: 'main'}}]
CYPHER 25
UNWIND $rows AS row
MERGE (paper:Paper {id: row.id})
WITH row, paper, paper {.enrichments, .linksConfigHash, .pageRank} AS noted,
     CASE WHEN paper.doi = row.properties.doi THEN paper {.editorialStatus, .editorialDate, .editorialNotices}
       ELSE {}
     END AS editorial
SET paper = row.properties, paper += noted, paper += editorial, paper.ingestedAt = datetime()
WITH row, paper WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(paper, 'embedding', row.vector)
