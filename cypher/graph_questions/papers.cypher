// Which papers are in a collection, by these authors, of these years, in this venue? By title or year.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $author_ids  LIST<STRING>  ids of authors, any of whom wrote the paper, or null for all
//             $coauthor_ids  LIST<STRING>  ids of authors, any of whom wrote the paper too, or null
//             $first_year  INTEGER       no paper of an earlier year, or null
//             $last_year   INTEGER       no paper of a later year, or null
//             $venue       STRING        words of the venue in small letters, or null
//             $order       STRING        'title', 'newest' or 'oldest'; papers without a year come last
//             $n_listed    INTEGER       papers that are listed, at least 1
// Returns     n            INTEGER       papers that there are
//             papers       LIST<MAP>     id, title, year, authors, venue; in order
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', author_ids: null, coauthor_ids: null, first_year: null, last_year: null, venue: null}
//             :param {order: 'title', n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($first_year IS NULL OR paper.year >= $first_year) AND ($last_year IS NULL OR paper.year <= $last_year)
  AND ($venue IS NULL OR toLower(paper.journalRef) CONTAINS $venue)
  AND ($author_ids IS NULL OR EXISTS { (paper)<-[:WROTE]-(writer:Author) WHERE writer.id IN $author_ids })
  AND ($coauthor_ids IS NULL OR EXISTS { (paper)<-[:WROTE]-(second:Author) WHERE second.id IN $coauthor_ids })
  AND ($order = 'title' OR paper.year IS NOT NULL)
WITH paper
ORDER BY CASE $order WHEN 'newest' THEN -paper.year WHEN 'oldest' THEN paper.year ELSE 0 END, paper.title, paper.id
WITH count(*) AS n, collect(paper)[..$n_listed] AS listed
RETURN n, [paper IN listed | paper {
  .id, .title, .year, venue: paper.journalRef,
  authors: COLLECT { MATCH (paper)<-[wrote:WROTE]-(author:Author) RETURN author.name ORDER BY wrote.position }
}] AS papers
