// Chunks that use some names, and papers that are titled by some, each by its first chunk of the kinds that are looked in.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $titles       LIST<STRING>  keys of titles: words in small letters without accents
//             $names        LIST<STRING>  keys of names that chunks use
//             $kinds        LIST<STRING>  kinds of chunk to look in
//             $most         INTEGER       how many chunks or papers may share one, at least 1
// Returns     key, id      STRING   the name's key and id
//             is_title     BOOLEAN  whether it was found as a title
//             n            INTEGER  how many share it
//             n_used       INTEGER  how many chunks use it
//             n_chunks     INTEGER  how many chunks there are in the store
//             chunk_id, paper_id  STRING
// Index       name_key (schema/model.py)
// Try it      :param {collections: ['main'], titles: ['deep water'], names: ['ada byron']}
//             :param {kinds: ['abstract', 'body'], most: 12}
CYPHER 25
CALL () {
  MATCH (name:Name)
  WHERE name.collection IN $collections AND name.key IN $titles
  WITH name, COUNT { (:Paper)-[:TITLED]->(name) } AS n, COUNT { (:Chunk)-[:REFERS_TO]->(name) } AS n_used
  WHERE 1 <= n <= $most
  MATCH (paper:Paper)-[:TITLED]->(name)
  CALL (paper) {
    MATCH (opening:Chunk {paperId: paper.id})
    WHERE opening.ordinal >= 0 AND opening.kind IN $kinds
    RETURN opening ORDER BY opening.ordinal LIMIT 1
  }
  RETURN name, true AS is_title, n, n_used, opening AS chunk
  UNION ALL
  MATCH (name:Name)
  WHERE name.collection IN $collections AND name.key IN $names
  WITH name, COUNT { (:Chunk)-[:NAMES]->(name) } AS n
  WHERE 1 <= n <= $most
  MATCH (chunk:Chunk)-[:NAMES]->(name)
  WHERE chunk.kind IN $kinds
  RETURN name, false AS is_title, n, n AS n_used, chunk
}
RETURN name.key AS key, name.id AS id, is_title, n, n_used, COUNT { (:Chunk) } AS n_chunks, chunk.id AS chunk_id,
       chunk.paperId AS paper_id
ORDER BY is_title DESC, key, chunk_id
