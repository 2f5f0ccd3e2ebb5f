// Collections with what they hold.
//
// Parameters  $collections  LIST<STRING>  only these, or null for all
// Returns     collection  STRING
//             n_papers, n_sections, n_chunks  INTEGER
//             ingested_at  DATETIME  when a paper was written last
//             subject  STRING  what its papers are about, where an operator says so
// Index       paper_listing (schema/migrations/0001_constraints.cypher)
//             collection_id (schema/migrations/0010_answers.cypher)
// Try it      :param {collections: null}
CYPHER 25
MATCH (paper:Paper)
WHERE $collections IS NULL OR paper.collection IN $collections
WITH paper.collection AS collection, count(paper) AS n_papers, sum(paper.nSections) AS n_sections,
     sum(paper.nChunks) AS n_chunks, max(paper.ingestedAt) AS ingested_at
OPTIONAL MATCH (said:Collection {id: collection})
RETURN collection, n_papers, n_sections, n_chunks, ingested_at, said.subject AS subject
ORDER BY collection
