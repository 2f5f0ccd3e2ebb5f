// Which names mean the same thing? Pairs that are held to be one, those that most passages name first.
//
// Parameters  $collection  STRING   where to look
//             $least       FLOAT    how sure it has to be, in [0, 1]
//             $limit       INTEGER  how many pairs
// Returns     way       PATH  the pair, for a drawing
//             one, other  STRING
//             score     FLOAT  how sure
//             evidence  STRING  what speaks for it: name, abbreviation, vector or review
//             n_passages  INTEGER  passages that name either
// Try it      :param {collection: 'main', least: 0.5, limit: 20}
CYPHER 25
MATCH way = (from:Entity {collection: $collection})-[same:SAME_AS]->(to:Entity)
WHERE same.score >= $least
WITH way, from, to, same, COUNT { (from)<-[:MENTIONS]-(:Chunk) } + COUNT { (to)<-[:MENTIONS]-(:Chunk) } AS n_passages
RETURN way, from.name AS one, to.name AS other, same.score AS score, same.evidence AS evidence, n_passages
ORDER BY n_passages DESC, one, other, from.id, to.id
LIMIT $limit
