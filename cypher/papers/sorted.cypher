// One page of a collection's papers by a number, the highest first: those that pass a filter.
//
// Parameters  $collection  STRING        for example 'main'
//             $ids         LIST<STRING>  papers that pass, or null for all
//             $all_but     BOOLEAN       whether $ids are those that do not pass
//             $sort        STRING        year, ingested (time) or cited (citations)
//             $after       LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit       INTEGER       papers on the page, at least 1
// Returns     paper  MAP  properties, vectors and line boxes left out
//             place  LIST<ANY>  what they are in order of: the number below 0, title, id
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', ids: null, all_but: false, sort: 'year', after: [], limit: 10}
CYPHER 25
MATCH (paper:Paper)
USING INDEX paper:Paper(collection, title, id)  // it holds titles and ids, which are slow to read from papers
WHERE paper.collection = $collection AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  AND ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
WITH paper, paper.title AS title, paper.id AS id, CASE $sort
  WHEN 'year' THEN -coalesce(paper.year, 0)
  WHEN 'ingested' THEN -paper.ingestedAt.epochMillis
  ELSE -COUNT { (paper)<-[:CITES]-() }
END AS number
WHERE $after = [] OR [number, title, id] > $after
ORDER BY number, title, id LIMIT $limit
RETURN paper { .*, embedding: null, secondEmbedding: null, lineBoxes: null } AS paper, [number, title, id] AS place
ORDER BY place
