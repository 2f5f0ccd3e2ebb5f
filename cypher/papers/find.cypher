// A page of a collection's papers in an order, narrowed by ids and by words of titles, names of authors or files.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $ids         LIST<STRING>  ids of papers that are listed, or null for all
//             $all_but     BOOLEAN       whether those ids are left out instead
//             $text        STRING        in small letters, what a title, key, author or file holds; '' for any
//             $sort        STRING        title, year or added; papers without a year are last
//             $descending  BOOLEAN       whether the greatest is first
//             $skip        INTEGER       papers that are passed over
//             $limit       INTEGER       most papers
// Returns     paper    MAP           properties, the embeddings left out
//             authors  LIST<STRING>  names in the paper's order
// Index       paper_listing (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main', ids: null, all_but: false, text: ''}
//             :param {sort: 'year', descending: true, skip: 0, limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
  AND ($text = '' OR toLower(paper.title) CONTAINS $text OR paper.doi CONTAINS $text OR toLower(paper.arxivId) CONTAINS $text
    OR any(source IN paper.sources WHERE toLower(split(source, '/')[-1]) CONTAINS $text)
    OR EXISTS { MATCH (author:Author)-[wrote:WROTE]->(paper) WHERE toLower(wrote.name) CONTAINS $text })
WITH paper, CASE $sort
  WHEN 'year' THEN paper.year
  WHEN 'added' THEN paper.ingestedAt.epochMillis
  ELSE toLower(paper.title) END AS place
ORDER BY place IS NULL, CASE WHEN NOT $descending THEN place END, CASE WHEN $descending THEN place END DESC, paper.id
SKIP $skip LIMIT $limit
RETURN paper {.*, embedding: null, secondEmbedding: null} AS paper,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         RETURN wrote.name ORDER BY wrote.position
       } AS authors
