// Papers whose links cannot be: to a name of another collection, a title that none has, or at places that a text lacks.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix, then papergraph enrich
// Repair      part_links
// Order       300
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (chunk:Chunk)-[use:NAMES|REFERS_TO]->(name:Name)
  WHERE chunk.collection <> name.collection
     OR (type(use) = 'REFERS_TO' AND NOT EXISTS { (:Paper)-[:TITLED]->(name) })
     OR size(use.offsets) <> size(use.ends)
     OR any(start IN use.offsets WHERE start < 0)
     OR any(end IN use.ends WHERE end > size(chunk.text))
  RETURN chunk.paperId AS id, name.key AS key
  UNION ALL
  MATCH (paper:Paper)-[:TITLED]->(name:Name)
  WHERE paper.collection <> name.collection
  RETURN paper.id AS id, name.key AS key
}
WITH id, min(key) AS key
RETURN id, id AS paper_id, 'is wrongly linked to ' + coalesce(key, 'a name') AS problem
ORDER BY id LIMIT $limit
