// Chunks and entities of a collection, in the order of their ids.
//
// Every one of the collection is looked at.
//
// Parameters  $collection  STRING   where they stand, for example 'main'
//             $properties  MAP      values that properties must have; {} for any
//             $limit       INTEGER  how many, at least 1
// Returns     label  STRING  Chunk or Entity
//             node   MAP     properties; vectors, which are long to read, are not among them
// Index       llama_node_id (schema/model.py)
// Try it      :param {collection: 'main', properties: {kind: 'abstract'}, limit: 10}
CYPHER 25
MATCH (node:__Node__)
WHERE node.collection = $collection AND all(name IN keys($properties) WHERE node[name] = $properties[name])
WITH node ORDER BY node.id LIMIT $limit
RETURN CASE WHEN node:Chunk THEN 'Chunk' ELSE 'Entity' END AS label,
       node {
         .aliases, .collection, .contentHash, .context, .endChar, .endPage, .figure, .id, .kind, .level, .nSimilar,
         .nTokens, .nTokensEmbedded, .name, .ordinal, .pageRank, .paperId, .sectionId, .startChar, .startPage, .text,
         .type, .year
       } AS node
ORDER BY node.id
