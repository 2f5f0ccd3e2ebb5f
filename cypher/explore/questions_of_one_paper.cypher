// Which questions does one paper answer and no other? Questions without a twin whose passages nothing elsewhere is near to.
//
// Parameters  $collection  STRING        where to look
//             $generators  LIST<STRING>  what made the question: model, template or extractive
//             $least       FLOAT         cosine from which a passage of another paper is near
//             $per_paper   INTEGER       questions of a paper, at most
//             $limit       INTEGER       how many questions
// Returns     question, paper  STRING
//             n_passages  INTEGER  passages that answer it
//             nearest     FLOAT  highest cosine of a passage of another paper to one of them, 0 where none is linked; lowest first
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', generators: ['model', 'template'], least: 0.7, per_paper: 3, limit: 15}
CYPHER 25
MATCH (asked:Question {collection: $collection})-[:ANSWERED_BY]->(chunk:Chunk)
WHERE asked.generator IN $generators AND NOT EXISTS { (asked)-[:DUPLICATE_OF]-(:Question) }
OPTIONAL MATCH (chunk)-[similar:SIMILAR]-(:Chunk)
WITH asked, count(DISTINCT chunk) AS n_passages, coalesce(max(similar.score), 0.0) AS nearest
WHERE nearest < $least
ORDER BY nearest, n_passages DESC, asked.text, asked.id
WITH asked.paperId AS paper_id, collect({node: asked, n_passages: n_passages, nearest: nearest})[..$per_paper] AS few
MATCH (paper:Paper {id: paper_id})
UNWIND few AS one
RETURN one.node.text AS question, paper.title AS paper, one.n_passages AS n_passages, one.nearest AS nearest
ORDER BY nearest, n_passages DESC, question, paper_id
LIMIT $limit
