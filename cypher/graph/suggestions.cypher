// Papers by words of their titles, and authors, entities and clusters by words of their names; for text being typed.
//
// Parameters  $title_query  STRING   in Lucene's syntax, made safe by server/graph/suggestions.py
//             $name_query   STRING   likewise
//             $k            INTEGER  nodes that are looked at in each index, at least 1
// Returns     id, label, text  STRING  label is Paper, Author, Entity or Cluster
// Index       title_text, name_text (schema/model.py)
// Try it      :param {title_query: 'title:(quantum)', name_query: 'name:(quantum)', k: 20}
CYPHER 25
CALL () {
  MATCH (paper:Paper)
    SEARCH paper IN (
      FULLTEXT INDEX title_text
      FOR $title_query
      LIMIT $k
    ) SCORE AS score
  RETURN paper.id AS id, 'Paper' AS label, paper.title AS text, score
  UNION ALL
  MATCH (thing:Author|Entity|Cluster)
    SEARCH thing IN (
      FULLTEXT INDEX name_text
      FOR $name_query
      LIMIT $k
    ) SCORE AS score
  WITH thing, score WHERE thing.name IS NOT NULL
  RETURN thing.id AS id, CASE WHEN thing:Author THEN 'Author' WHEN thing:Entity THEN 'Entity' ELSE 'Cluster' END AS label,
         thing.name AS text, score
}
RETURN id, label, text
ORDER BY score DESC, id
