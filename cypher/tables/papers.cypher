// Papers of an evidence table, by title: the source that their cells belong to, and what tells whether cells are stale.
//
// Parameters  $collection  STRING        collection of the papers
//             $sources     LIST<STRING>  ids of sources, for the papers that have one; null for all papers
//             $ids         LIST<STRING>  papers that pass a filter, or null for all
//             $all_but     BOOLEAN       whether $ids are those that do not pass
//             $among       LIST<STRING>  ids of papers, of which others are left out; null for all
//             $after       LIST          title and id of the last paper of the page before; [] at the start
//             $limit       INTEGER       most papers
// Returns     id, key, title, source, content_hash, config_hash  STRING  of each paper
//             year    INTEGER  if known
//             doi, status  STRING  if any
// Index       paper_listing, source_id (schema/model.py)
// Try it      :param {collection: 'main', sources: null, ids: null, all_but: false, among: null, after: [], limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
  AND ($among IS NULL OR paper.id IN $among)
  AND ($after = [] OR paper.title > $after[0] OR (paper.title = $after[0] AND paper.id > $after[1]))
  AND ($sources IS NULL OR EXISTS { MATCH (paper)-[:HAS_SOURCE]->(one:Source) WHERE one.id IN $sources })
WITH paper ORDER BY paper.title, paper.id LIMIT $limit
MATCH (paper)-[:HAS_SOURCE]->(source:Source)
WHERE source.name = paper.sources[0]
RETURN paper.id AS id, paper.key AS key, paper.title AS title, paper.year AS year, paper.doi AS doi,
       paper.editorialStatus AS status, source.id AS source, paper.contentHash AS content_hash,
       paper.configHash AS config_hash
ORDER BY title, id
