// Which methods are studied on the same data sets? Pairs of things of a type that passages name with the same other ones.
//
// Parameters  $collection   STRING   where to look
//             $type         STRING   type of the pairs, such as Method
//             $over         STRING   type of what they share, such as Dataset
//             $most_papers  INTEGER  things that more papers name are left out of what is shared
//             $limit        INTEGER  how many pairs
// Returns     one, other  STRING  by name
//             n_shared  INTEGER  how many things both are named with; most first
//             n_papers  INTEGER  papers that name one of both with one of these
//             shared    LIST<STRING>  these things, by name
// Try it      :param {collection: 'main', type: 'Method', over: 'Dataset', most_papers: 10, limit: 20}
CYPHER 25
MATCH (shared:Entity {collection: $collection, type: $over})<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind <> 'references'
WITH shared, collect(DISTINCT chunk) AS chunks, count(DISTINCT chunk.paperId) AS n_papers
WHERE n_papers <= $most_papers
UNWIND chunks AS chunk
MATCH (chunk)-[:MENTIONS]->(method:Entity {type: $type})
WHERE method <> shared
WITH shared, method, collect(DISTINCT chunk.paperId) AS paper_ids
WITH shared, collect({node: method, paper_ids: paper_ids}) AS methods
UNWIND methods AS first
UNWIND methods AS second
WITH shared, first, second WHERE first.node.name < second.node.name
UNWIND first.paper_ids + second.paper_ids AS paper_id
WITH first.node AS method, second.node AS beside, shared, paper_id
ORDER BY shared.name, shared.id
WITH method, beside, collect(DISTINCT shared.name) AS shared, count(DISTINCT paper_id) AS n_papers
RETURN method.name AS one, beside.name AS other, size(shared) AS n_shared, n_papers, shared
ORDER BY n_shared DESC, n_papers DESC, one, other, method.id, beside.id
LIMIT $limit
