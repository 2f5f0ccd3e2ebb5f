// How long the chunks of a collection are, level by level of a hierarchy.
//
// Parameters  $collection  STRING  where they stand
// Returns     level    INTEGER  0, or the height of parents above the chunks
//             lengths  LIST<INTEGER>  characters of each chunk, in the order of ids
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (:Paper {collection: $collection})-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
ORDER BY chunk.id
RETURN coalesce(chunk.level, 0) AS level, collect(size(chunk.text)) AS lengths
ORDER BY level
