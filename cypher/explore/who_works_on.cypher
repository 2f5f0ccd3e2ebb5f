// Who works on a thing, and with whom? Authors of the papers that name it, those with most of these papers first.
//
// Parameters  $collection  STRING   where to look
//             $entity      STRING   name of the thing, as papergraph entities list shows it; other names of it count too
//             $limit       INTEGER  how many authors
// Returns     author      STRING
//             n_papers    INTEGER  papers of theirs that name it
//             n_passages  INTEGER  passages of these that do
//             together_with  LIST<STRING>  who wrote these papers with them, by name
//             papers      LIST<STRING>  their titles, by name
// Index       entity_name (schema/model.py)
// Try it      :param entity => head(COLLECT { MATCH (e:Entity {collection: 'main', type: 'Method'})<-[:MENTIONS]-(c:Chunk) WITH e, count(DISTINCT c.paperId) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN e.name })
//             :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (entity:Entity {collection: $collection, name: $entity})-[:SAME_AS]-{0,1}(same:Entity)
MATCH (same)<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind <> 'references'
WITH chunk.paperId AS paper_id, count(DISTINCT chunk) AS n_passages
MATCH (writer:Author)-[:WROTE]->(paper:Paper {id: paper_id})
WITH writer, count(*) AS n_papers, sum(n_passages) AS n_passages, collect(paper) AS found
CALL (writer, found) {
  UNWIND found AS paper
  OPTIONAL MATCH (other:Author)-[:WROTE]->(paper) WHERE other <> writer
  WITH DISTINCT other.name AS name ORDER BY name
  RETURN collect(name) AS together_with
}
CALL (found) {
  UNWIND found AS paper
  WITH paper.title AS title ORDER BY title
  RETURN collect(title) AS papers
}
RETURN writer.name AS author, n_papers, n_passages, together_with, papers
ORDER BY n_papers DESC, n_passages DESC, author, writer.id
LIMIT $limit
