// What belongs to a thing? Other things that passages name together with it, the closest first.
//
// Parameters  $collection  STRING   where to look
//             $entity      STRING   name of the thing
//             $least       INTEGER  passages that name both, at least
//             $limit       INTEGER  how many things
// Returns     name, type  STRING
//             n_together  INTEGER  passages that name both
//             closeness   FLOAT  that number by the geometric mean of the passages that name either, in (0, 1]
//             n_papers    INTEGER  papers of these passages
// Index       entity_name (schema/model.py)
// Source      Ochiai 1957, doi:10.2331/suisan.22.526; as association of words, van Eck and Waltman 2009, doi:10.1002/asi.21075
// Try it      :param entity => head(COLLECT { MATCH (e:Entity {collection: 'main', type: 'Method'})<-[:MENTIONS]-(c:Chunk) WITH e, count(DISTINCT c.paperId) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN e.name })
//             :param {collection: 'main', least: 2, limit: 15}
CYPHER 25
MATCH (entity:Entity {collection: $collection, name: $entity})<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind <> 'references'
WITH entity, collect(chunk) AS chunks, count(*) AS n_chunks
UNWIND chunks AS chunk
MATCH (chunk)-[:MENTIONS]->(other:Entity) WHERE other <> entity
WITH entity, n_chunks, other, count(*) AS n_together, count(DISTINCT chunk.paperId) AS n_papers
WHERE n_together >= $least
WITH entity, other, n_together, n_papers, n_chunks, COUNT { (other)<-[:MENTIONS]-(near:Chunk) WHERE near.kind <> 'references' } AS n_other
RETURN other.name AS name, other.type AS type, n_together, round(n_together / sqrt(n_chunks * n_other), 3) AS closeness,
       n_papers
ORDER BY closeness DESC, n_together DESC, name, other.id, entity.id
LIMIT $limit
