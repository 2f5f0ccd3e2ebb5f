// Remove the links of papers: what their chunks name and their titles, which then no chunk refers to if no other has them.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those that refer to their titles
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id IN $ids
REMOVE paper.linksConfigHash
WITH paper
CALL (paper) {
  MATCH (paper)-[link:TITLED]->(name:Name)
  RETURN link, name
  UNION ALL
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(:Chunk)-[link:NAMES|REFERS_TO]->(name:Name)
  RETURN link, name
}
WITH name, collect(link) AS links ORDER BY name.id
// takes the lock before the links of others are read; an indexed property must not be set here
FOREACH (held IN [name] | SET held.locked = true REMOVE held.locked)
FOREACH (link IN links | DELETE link)
WITH collect(name) AS names
CALL (names) {
  UNWIND names AS name
  WITH name WHERE NOT EXISTS { (:Paper)-[:TITLED]->(name) }
  MATCH (chunk:Chunk)-[link:REFERS_TO]->(name)
  DELETE link
  WITH DISTINCT chunk.paperId AS id
  MATCH (paper:Paper {id: id})
  WITH paper ORDER BY elementId(paper)
  SET paper.revision = randomUUID()
}
UNWIND names AS name
WITH name WHERE NOT EXISTS { (name)--() }
DELETE name
