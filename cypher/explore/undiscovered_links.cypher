// What may a thing have to do with, although no paper names both? Things that share neighbours with it in other papers.
//
// Parameters  $collection   STRING        where to look
//             $entity       STRING        name of the thing
//             $types        LIST<STRING>  types of what is looked for
//             $least        INTEGER       shared neighbours, at least
//             $most_papers  INTEGER       neighbours that more papers name say nothing and are left out
//             $limit        INTEGER       how many things
// Returns     name, type  STRING
//             n_between  INTEGER  things that are named with the one here and with the other there; most first
//             between    LIST<STRING>  up to ten of them, by name
//             n_papers   INTEGER  papers that name the other thing with one of these
// Index       entity_name (schema/model.py)
// Source      Swanson 1986, Undiscovered public knowledge, doi:10.1086/601720
// Try it      :param entity => head(COLLECT { MATCH (e:Entity {collection: 'main', type: 'Method'})<-[:MENTIONS]-(c:Chunk) WITH e, count(DISTINCT c.paperId) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN e.name })
//             :param {collection: 'main', types: ['Method', 'Task', 'Dataset'], least: 1, most_papers: 6, limit: 15}
CYPHER 25
MATCH (entity:Entity {collection: $collection, name: $entity})<-[:MENTIONS]-(chunk:Chunk)
WITH entity, collect(chunk) AS chunks, collect(DISTINCT chunk.paperId) AS known
UNWIND chunks AS chunk
MATCH (chunk)-[:MENTIONS]->(between:Entity)
WHERE between <> entity AND chunk.kind <> 'references'
WITH DISTINCT entity, known, between
MATCH (between)<-[:MENTIONS]-(far:Chunk)
WHERE far.kind <> 'references'
WITH entity, known, between, collect(far) AS chunks, count(DISTINCT far.paperId) AS n_papers
WHERE n_papers <= $most_papers
UNWIND chunks AS far
WITH entity, known, between, far WHERE NOT far.paperId IN known
MATCH (far)-[:MENTIONS]->(other:Entity)
WHERE other <> between AND other <> entity AND other.type IN $types
WITH entity, known, other, between, far
ORDER BY between.name, between.id
WITH entity, known, other, collect(DISTINCT between.name) AS between, count(DISTINCT far.paperId) AS n_papers
WHERE size(between) >= $least AND NOT EXISTS { MATCH (other)<-[:MENTIONS]-(near:Chunk) WHERE near.paperId IN known }
RETURN other.name AS name, other.type AS type, size(between) AS n_between, between[..10] AS between, n_papers
ORDER BY n_between DESC, n_papers DESC, name, other.id, entity.id
LIMIT $limit
