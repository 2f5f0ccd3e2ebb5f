// How many papers of a collection pass a filter and have words.
//
// Parameters  $collection  STRING        for example 'main'
//             $ids         LIST<STRING>  papers that pass, or null for all
//             $all_but     BOOLEAN       whether $ids are those that do not pass
//             $words       LIST<STRING>  words in small letters, each in the title, the abstract or an author's name
// Returns     n  INTEGER
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', ids: null, all_but: false, words: []}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
LET said = CASE WHEN $words = [] THEN '' ELSE toLower(reduce(
  text = paper.title + ' ' + paper.abstract,
  name IN COLLECT { MATCH (author:Author)-[:WROTE]->(paper) RETURN author.name } | text + ' ' + name
)) END
WITH paper, said WHERE all(word IN $words WHERE said CONTAINS word)
RETURN count(paper) AS n
