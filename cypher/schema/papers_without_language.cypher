// Papers whose language is not noted, with passages evenly spread over their text, page by page.
//
// Parameters  $after      STRING        id that the page comes after, '' for the first one
//             $limit      INTEGER       most papers
//             $unspoken   LIST<STRING>  kinds of chunk that are no running text
//             $n_samples  INTEGER       most passages of a paper
//             $n_chars    INTEGER       characters of each
// Returns     id, title  STRING    in order of id
//             texts  LIST<STRING>  beginnings of chunks in their order
// Index       paper_id, chunk_position (schema/migrations/0001_constraints.cypher)
// Try it      :param {after: '', limit: 10, unspoken: ['references'], n_samples: 8, n_chars: 500}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.language IS NULL
WITH paper ORDER BY paper.id LIMIT $limit
LET found = COLLECT {
  MATCH (chunk:Chunk {paperId: paper.id})
  WHERE chunk.ordinal >= 0 AND coalesce(chunk.level, 0) = 0 AND NOT chunk.kind IN $unspoken
  WITH chunk ORDER BY chunk.ordinal
  RETURN left(chunk.text, $n_chars)
}
LET n = size(found)
LET places = [number IN range(0, $n_samples - 1) | number * n / $n_samples]
RETURN paper.id AS id, paper.title AS title, [place IN range(0, n - 1) WHERE place IN places | found[place]] AS texts
ORDER BY id
