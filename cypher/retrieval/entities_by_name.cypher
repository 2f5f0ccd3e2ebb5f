// Entities whose names or aliases have most of a query's words; the query itself names the collection.
//
// Parameters  $fulltext_query  STRING   in Lucene's syntax, made safe by server/retrieval/lucene.py
//             $k               INTEGER  how many nodes are looked at, at least 1
// Returns     id, name, type  STRING
//             aliases  LIST<STRING>  other names
//             score  FLOAT  BM25, comparable within one query only; best first
// Index       name_text (schema/model.py)
// Try it      :param {fulltext_query: 'name:(quantum annealing)', k: 5}
CYPHER 25
MATCH (thing:Author|Entity|Cluster)
  SEARCH thing IN (
    FULLTEXT INDEX name_text
    FOR $fulltext_query
    LIMIT $k
  ) SCORE AS score
WITH thing, score WHERE thing:Entity
RETURN thing.id AS id, thing.name AS name, thing.type AS type, coalesce(thing.aliases, []) AS aliases, score
ORDER BY score DESC, id
