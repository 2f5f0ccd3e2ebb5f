// Delete mentions in chunks of a paper, and relations that it says, except those to keep and those of the other origin.
//
// Entities are left; those that nothing mentions any more go when the others follow what is left.
//
// Parameters  $id     STRING        id of the paper
//             $given  BOOLEAN       whether to delete what was given, or what was found
//             $keep   LIST<STRING>  chunk and entity of mentions that stay, as 'chunk entity'
// Returns     nothing
// Revises     papers $id
// Index       paper_id (schema/model.py)
// Try it      :param {id: 'a1', given: false, keep: []}
CYPHER 25
MATCH (:Paper {id: $id})-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
MATCH (chunk)-[mention:MENTIONS]->(entity:Entity)
WITH entity, collect(CASE WHEN (mention.extractor = 'given') = $given AND NOT chunk.id + ' ' + entity.id IN $keep
                          THEN mention END) AS mentions
CALL (entity) {
  MATCH (entity)-[relation:RELATED_TO {paperId: $id}]->(:Entity)
  WHERE (relation.extractor = 'given') = $given
  DELETE relation
}
FOREACH (mention IN mentions | DELETE mention)
