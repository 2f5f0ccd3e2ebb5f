// Papers whose sections, chunks or references are not numbered 0, 1, 2 and so on without a gap.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       440
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(part:Section)
  RETURN 'sections' AS parts, count(part) AS n, count(DISTINCT part.ordinal) AS n_ordinals,
         min(part.ordinal) AS first, max(part.ordinal) AS last
  UNION ALL
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(part:Chunk)
  RETURN 'chunks' AS parts, count(part) AS n, count(DISTINCT part.ordinal) AS n_ordinals,
         min(part.ordinal) AS first, max(part.ordinal) AS last
  UNION ALL
  MATCH (paper)-[:HAS_REFERENCE]->(part:Reference)
  RETURN 'references' AS parts, count(part) AS n, count(DISTINCT part.ordinal) AS n_ordinals,
         min(part.ordinal) AS first, max(part.ordinal) AS last
}
WITH paper, parts, n, n_ordinals, first, last
WHERE n > 0 AND (n_ordinals <> n OR first <> 0 OR last <> n - 1)
RETURN paper.id AS id, paper.id AS paper_id,
       n + ' ' + parts + ' with ' + n_ordinals + ' ordinals from ' + first + ' to ' + last AS problem
ORDER BY id LIMIT $limit
