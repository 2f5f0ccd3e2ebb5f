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
MATCH (paper:Paper)
USING INDEX paper:Paper(collection, title, id)
WHERE paper.collection = $collection AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  AND ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
  AND all(word IN $words WHERE toLower(paper.title) CONTAINS word OR toLower(paper.abstract) CONTAINS word
    OR EXISTS { MATCH (author:Author)-[:WROTE]->(paper) WHERE toLower(author.name) CONTAINS word })
RETURN count(paper) AS n
