// Collections with what they hold, those that were created empty too.
//
// Parameters  $collections  LIST<STRING>  only these, or null for all
// Returns     collection  STRING
//             n_papers, n_sections, n_chunks  INTEGER
//             ingested_at  DATETIME  when a paper was written last; of an empty collection, when it was created
//             subject  STRING  what its papers are about, where an operator says so
//             title  STRING  what people call it, where somebody says so
//             description  STRING  what it is for, where somebody says so
// Index       paper_listing (schema/model.py)
//             collection_id (schema/model.py)
// Try it      :param {collections: null}
CYPHER 25
CALL () {
  MATCH (paper:Paper)
  WHERE $collections IS NULL OR paper.collection IN $collections
  RETURN paper.collection AS collection, count(paper) AS n_papers, sum(paper.nSections) AS n_sections,
         sum(paper.nChunks) AS n_chunks, max(paper.ingestedAt) AS ingested_at
  UNION ALL
  MATCH (empty:Collection)
  WHERE ($collections IS NULL OR empty.id IN $collections) AND empty.createdAt IS NOT NULL
    AND NOT EXISTS { (:Paper {collection: empty.id}) }
  RETURN empty.id AS collection, 0 AS n_papers, 0 AS n_sections, 0 AS n_chunks, empty.createdAt AS ingested_at
}
OPTIONAL MATCH (said:Collection {id: collection})
RETURN collection, n_papers, n_sections, n_chunks, ingested_at, said.subject AS subject, said.title AS title,
       said.description AS description
ORDER BY collection
