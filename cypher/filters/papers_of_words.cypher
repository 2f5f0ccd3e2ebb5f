// Papers of collections that have each of some words in the title, the abstract or an author's name, case aside.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $words        LIST<STRING>  in small letters
//             $title_query  STRING        finds papers with all of them, in Lucene's syntax (server/retrieval/lucene.py)
//             $name_query   STRING        finds authors with any of them, likewise
// Returns     paper_ids  LIST<STRING>
// Index       title_text, name_text (schema/model.py)
// Try it      :param {collections: ['main'], words: ['graph'], title_query: 'title:(graph)', name_query: 'name:(graph)'}
CYPHER 25
CALL () {
  MATCH (paper:Paper)
    SEARCH paper IN (
      FULLTEXT INDEX title_text
      FOR $title_query
      LIMIT 1000000
    )
  RETURN paper
  UNION
  MATCH (author:Author|Entity|Cluster)
    SEARCH author IN (
      FULLTEXT INDEX name_text
      FOR $name_query
      LIMIT 1000000
    )
  WITH author WHERE author:Author
  MATCH (author)-[:WROTE]->(paper:Paper)
  RETURN paper
}
WITH paper
WHERE paper.collection IN $collections
  AND all(word IN $words WHERE toLower(paper.title) CONTAINS word OR toLower(paper.abstract) CONTAINS word
    OR EXISTS { MATCH (author:Author)-[:WROTE]->(paper) WHERE toLower(author.name) CONTAINS word })
RETURN collect(paper.id) AS paper_ids
