// One page of a collection's papers that pass a filter and have words, in one of several orders.
//
// Parameters  $collection  STRING        for example 'main'
//             $ids         LIST<STRING>  papers that pass, or null for all
//             $all_but     BOOLEAN       whether $ids are those that do not pass
//             $is_few      BOOLEAN       whether $ids are so few that each is looked up
//             $words       LIST<STRING>  words in small letters, each in the title, the abstract or an author's name
//             $sort        STRING        title, year (newest first), ingested (newest first) or cited (most first)
//             $after       LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit       INTEGER       papers on the page, at least 1
// Returns     node   MAP  properties, vectors and line boxes left out
//             place  LIST<ANY>  what they are in order of: [title, id], or [number, title, id]
// Index       paper_listing (schema/model.py)
//             paper_id (schema/model.py)
// Try it      :param {collection: 'main', ids: null, all_but: false, is_few: false, words: [], sort: 'year', after: [], limit: 10}
CYPHER 25
CALL () {
  WITH 1 AS once WHERE $is_few
  UNWIND $ids AS id
  MATCH (paper:Paper {id: id}) WHERE paper.collection = $collection
  RETURN paper
UNION ALL
  WITH 1 AS once WHERE NOT $is_few
  MATCH (paper:Paper {collection: $collection}) WHERE $ids IS NULL OR (paper.id IN $ids) <> $all_but
  RETURN paper
}
LET said = CASE WHEN $words = [] THEN '' ELSE toLower(reduce(
  text = paper.title + ' ' + paper.abstract,
  name IN COLLECT { MATCH (author:Author)-[:WROTE]->(paper) RETURN author.name } | text + ' ' + name
)) END
WITH paper, said WHERE all(word IN $words WHERE said CONTAINS word)
WITH paper, CASE $sort
  WHEN 'year' THEN [-coalesce(paper.year, 0), paper.title, paper.id]
  WHEN 'ingested' THEN [-paper.ingestedAt.epochMillis, paper.title, paper.id]
  WHEN 'cited' THEN [-COUNT { (paper)<-[:CITES]-() }, paper.title, paper.id]
  ELSE [paper.title, paper.id]
END AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN paper { .*, embedding: null, secondEmbedding: null, lineBoxes: null } AS node, place
ORDER BY place
