// What do papers say of a thing? Its relations to other things, each with the paper and the passage that says so.
//
// Parameters  $collection  STRING   where to look
//             $entity      STRING   name of the thing
//             $limit       INTEGER  how many relations
// Returns     way      PATH  the relation between both things, for a drawing
//             subject, relation, object  STRING
//             paper    STRING  title of the paper that says so
//             year     INTEGER  its year, where known
//             passage  STRING  the first passage that says so
// Index       entity_name (schema/model.py)
// Try it      :param entity => head(COLLECT { MATCH (e:Entity {collection: 'main'})-[r:RELATED_TO]-(:Entity) WITH e, count(r) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN e.name })
//             :param {collection: 'main', limit: 20}
CYPHER 25
MATCH way = (entity:Entity {collection: $collection, name: $entity})-[said:RELATED_TO]-(:Entity)
MATCH (paper:Paper {id: said.paperId})
OPTIONAL MATCH (chunk:Chunk {id: said.chunkIds[0]})
WITH way, said, paper, chunk, startNode(said) AS from, endNode(said) AS to
RETURN way, from.name AS subject, said.type AS relation, to.name AS object, paper.title AS paper,
       paper.year AS year, chunk.text AS passage
ORDER BY relation, subject, object, year, paper, said.paperId, chunk.id, from.id, to.id
LIMIT $limit
