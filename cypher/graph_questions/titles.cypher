// Papers whose titles hold words; the query itself names the collection.
//
// Parameters  $fulltext_query  STRING   in Lucene's syntax, made safe by server/answers/graph_question.py
//             $k               INTEGER  how many nodes are looked at, at least 1
// Returns     id, title        STRING   best first
// Index       title_text (schema/model.py)
// Try it      :param {fulltext_query: '*:*', k: 1000}
CYPHER 25
MATCH (thing:Paper)
  SEARCH thing IN (
    FULLTEXT INDEX title_text
    FOR $fulltext_query
    LIMIT $k
  ) SCORE AS score
RETURN thing.id AS id, thing.title AS title
ORDER BY score DESC, id
