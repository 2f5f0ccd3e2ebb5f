// Papers with another number of sections, chunks or references than were counted when they were parsed.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       430
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WITH paper, COUNT { (paper)-[:HAS_SECTION]->(:Section) } AS n_sections,
     COUNT { (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(:Chunk) } AS n_all,
     COUNT { (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(:Chunk {kind: 'parent'}) } AS n_parents,
     COUNT { (paper)-[:HAS_REFERENCE]->(:Reference) } AS n_references
WITH paper, n_sections, n_all - n_parents AS n_chunks, n_parents, n_references
WHERE n_sections <> paper.nSections OR n_chunks <> paper.nChunks OR n_parents <> coalesce(paper.nParents, 0)
   OR n_references <> coalesce(paper.nReferences, 0)
RETURN paper.id AS id, paper.id AS paper_id,
       n_sections + ' sections of ' + paper.nSections + ', ' + n_chunks + ' chunks of ' + paper.nChunks + ', '
         + n_parents + ' parents of ' + coalesce(paper.nParents, 0) + ', '
         + n_references + ' references of ' + coalesce(paper.nReferences, 0) AS problem
ORDER BY id LIMIT $limit
