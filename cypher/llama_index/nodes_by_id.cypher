// Chunks and entities by their ids, those of other collections left out.
//
// Parameters  $ids         LIST<STRING>  ids of chunks and entities
//             $collection  STRING        where they stand, for example 'main'
//             $properties  MAP           values that properties must have; {} for any
// Returns     label  STRING  Chunk or Entity
//             node   MAP     properties; vectors, which are long to read, are not among them
// Index       llama_node_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {collection: 'main', properties: {}}
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (node:__Node__ {id: $ids[place]})
WHERE node.collection = $collection AND all(name IN keys($properties) WHERE node[name] = $properties[name])
RETURN CASE WHEN node:Chunk THEN 'Chunk' ELSE 'Entity' END AS label,
       node {
         .aliases, .collection, .contentHash, .context, .endChar, .endPage, .figure, .id, .kind, .level, .nSimilar,
         .nTokens, .nTokensEmbedded, .name, .ordinal, .pageRank, .paperId, .sectionId, .startChar, .startPage, .text,
         .type, .year
       } AS node
ORDER BY place
