// Relations of entities one step away, each with a chunk that says it and the names that it may say it by.
//
// Parameters  $entity_ids  LIST<STRING>  ids of entities, those to go out from first in front
//             $paper_ids   LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds       LIST<STRING>  kinds of chunk to look in
//             $k           INTEGER       how many, at least 1
// Returns     subject_id, subject, type, object_id, object  STRING
//             entity_ids     LIST<STRING>  those of the given entities that it is a relation of
//             chunk_id, paper_id  STRING   the chunk that says it
//             holder_ids     LIST<STRING>  the chunk, and those that it is a part of
//             subject_names, object_names  LIST<STRING>
// Index       entity_id, chunk_id (schema/model.py)
// Source      Edge et al. 2024, arXiv:2404.16130; LlamaIndex' VectorContextRetriever with a depth of 1
// Try it      :param entity_ids => COLLECT { MATCH (e:Entity)-[:RELATED_TO]-() RETURN DISTINCT e.id LIMIT 3 }
//             :param {paper_ids: null, kinds: ['abstract', 'body'], k: 10}
CYPHER 25
UNWIND range(0, size($entity_ids) - 1) AS place
MATCH (thing:Entity {id: $entity_ids[place]})-[relation:RELATED_TO]-(:Entity)
WITH relation, min(place) AS place, collect(DISTINCT thing.id) AS entity_ids
WHERE $paper_ids IS NULL OR relation.paperId IN $paper_ids
CALL (relation) {
  UNWIND relation.chunkIds AS chunk_id
  MATCH (chunk:Chunk {id: chunk_id})
  WHERE chunk.kind IN $kinds
  RETURN chunk ORDER BY chunk.ordinal LIMIT 1
}
WITH relation, place, entity_ids, chunk, startNode(relation) AS subject, endNode(relation) AS object
ORDER BY place, subject.name, relation.type, object.name, chunk.id
LIMIT $k
RETURN subject.id AS subject_id, subject.name AS subject, relation.type AS type, object.id AS object_id,
       object.name AS object, entity_ids, chunk.id AS chunk_id, chunk.paperId AS paper_id,
       COLLECT { MATCH (chunk)-[:CHILD_OF]->{0,5}(holder:Chunk) RETURN holder.id } AS holder_ids,
       [subject.name] + coalesce(subject.aliases, []) +
         COLLECT { MATCH (chunk)-[m:MENTIONS]->(subject) UNWIND m.names AS name RETURN name } AS subject_names,
       [object.name] + coalesce(object.aliases, []) +
         COLLECT { MATCH (chunk)-[m:MENTIONS]->(object) UNWIND m.names AS name RETURN name } AS object_names
ORDER BY place, subject, type, object, chunk_id
