// Authors and entities whose names or aliases hold words in their order; the query itself names the collection.
//
// Parameters  $fulltext_query  STRING   in Lucene's syntax, made safe by server/retrieval/filters.py
//             $k               INTEGER  how many nodes are looked at, at least 1
// Returns     id, label, name  STRING  label is Author or Entity
//             aliases  LIST<STRING>  other names
// Index       name_text (schema/model.py)
// Try it      :param {fulltext_query: '*:*', k: 5}
CYPHER 25
MATCH (thing:Author|Entity|Cluster)
  SEARCH thing IN (
    FULLTEXT INDEX name_text
    FOR $fulltext_query
    LIMIT $k
  )
WITH thing WHERE NOT thing:Cluster
RETURN thing.id AS id, CASE WHEN thing:Author THEN 'Author' ELSE 'Entity' END AS label, thing.name AS name,
       coalesce(thing.aliases, []) AS aliases
ORDER BY id
