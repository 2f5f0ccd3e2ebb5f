// With whom could an author work? Authors who never wrote with them and write of the same rare things.
//
// Parameters  $collection   STRING   where to look
//             $author       STRING   name of the author
//             $most_papers  INTEGER  things that more papers name say nothing and are left out
//             $limit        INTEGER  how many authors
// Returns     other    STRING
//             score    FLOAT  sum over shared things of one by the number of papers that name it; the highest first
//             n_shared  INTEGER  how many things both write of
//             shared   LIST<STRING>  up to ten of them, the rarest first
// Index       paper_id (schema/model.py)
// Source      Adamic and Adar 2003, Friends and neighbors on the Web, doi:10.1016/S0378-8733(03)00009-1: rare things weigh more
// Try it      :param author => head(COLLECT { MATCH (a:Author {collection: 'main'})-[:WROTE]->(p:Paper) WITH a, count(p) AS n ORDER BY n DESC, a.name, a.id LIMIT 1 RETURN a.name })
//             :param {collection: 'main', most_papers: 5, limit: 10}
CYPHER 25
MATCH (author:Author {collection: $collection, name: $author})-[:WROTE]->(paper:Paper)
MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(own:Chunk)-[:MENTIONS]->(entity:Entity)
WHERE own.kind <> 'references'
WITH DISTINCT author, entity
MATCH (entity)<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind <> 'references'
WITH author, entity, collect(DISTINCT chunk.paperId) AS paper_ids
WHERE 2 <= size(paper_ids) <= $most_papers
UNWIND paper_ids AS paper_id
MATCH (beside:Author)-[:WROTE]->(:Paper {id: paper_id})
WHERE beside <> author AND NOT EXISTS { (author)-[:WROTE]->(:Paper)<-[:WROTE]-(beside) }
WITH DISTINCT beside, entity, size(paper_ids) AS n_papers
ORDER BY n_papers, entity.name, entity.id
WITH beside, sum(1.0 / n_papers) AS score, count(*) AS n_shared, collect(entity.name)[..10] AS shared
RETURN beside.name AS other, round(score, 3) AS score, n_shared, shared
ORDER BY score DESC, n_shared DESC, other, beside.id
LIMIT $limit
