// What stands beside the given chunks and entities: their sections, mentions, and relations of entities.
//
// Nodes take turns, so that one with many relations leaves room for the others; of a node those of the type that is
// named first come first, and of these the chunks that mention the entity most.
//
// Parameters  $ids         LIST<STRING>  ids of chunks and entities, in the order of their turns
//             $collection  STRING        where they stand, for example 'main'
//             $types       LIST<STRING>  types to go along: HAS_CHUNK, RELATED_TO, SAME_AS, MENTIONS
//             $ignored     LIST<STRING>  values of a RELATED_TO's type that are passed over
//             $limit       INTEGER       how many relations, at least 1
// Returns     source_label, target_label  STRING  Chunk, Entity or Section
//             source, target  MAP  properties of where it begins and ends, but for vectors
//             type  STRING  type of the relationship
//             relation  MAP  its properties
// Index       llama_node_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param types => ['HAS_CHUNK', 'RELATED_TO', 'SAME_AS', 'MENTIONS']
//             :param {collection: 'main', ignored: [], limit: 10}
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (node:__Node__ {id: $ids[place]})
WHERE node.collection = $collection
CALL (node) {
  MATCH (node)-[relation:HAS_CHUNK|RELATED_TO|SAME_AS|MENTIONS]-(other:Section|__Node__)
  WHERE type(relation) IN $types AND other.collection = $collection
    AND NOT (type(relation) = 'RELATED_TO' AND relation.type IN $ignored)
  WITH relation, other, [i IN range(0, size($types) - 1) WHERE $types[i] = type(relation)][0] AS turn
  ORDER BY turn, size(coalesce(relation.offsets, [])) DESC, other.id, relation.type, elementId(relation)
  LIMIT $limit
  RETURN collect(relation) AS relations
}
UNWIND range(0, size(relations) - 1) AS rank
WITH place, rank, relations[rank] AS relation
ORDER BY rank, place
WITH relation, collect([rank, place])[0] AS position
ORDER BY position
LIMIT $limit
WITH position, relation, startNode(relation) AS source, endNode(relation) AS target
RETURN CASE WHEN source:Section THEN 'Section' WHEN source:Chunk THEN 'Chunk' ELSE 'Entity' END AS source_label,
       CASE WHEN target:Chunk THEN 'Chunk' ELSE 'Entity' END AS target_label,
       source {
         .aliases, .collection, .contentHash, .context, .endChar, .endPage, .figure, .id, .kind, .level, .nSimilar,
         .nTokens, .nTokensEmbedded, .name, .ordinal, .pageRank, .paperId, .sectionId, .startChar, .startPage, .text,
         .title, .type, .year
       } AS source,
       target {
         .aliases, .collection, .contentHash, .context, .endChar, .endPage, .figure, .id, .kind, .level, .nSimilar,
         .nTokens, .nTokensEmbedded, .name, .ordinal, .pageRank, .paperId, .sectionId, .startChar, .startPage, .text,
         .type, .year
       } AS target,
       type(relation) AS type, properties(relation) AS relation
ORDER BY position
