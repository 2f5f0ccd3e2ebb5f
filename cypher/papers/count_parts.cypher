// How many chunks sections have of their own, and how many papers authors wrote.
//
// Parameters  $ids  LIST<STRING>  ids of sections and authors
// Returns     id  STRING
//             n_parts  INTEGER
// Index       section_id, author_id (schema/migrations/0001_constraints.cypher)
// Try it      :param ids => COLLECT { MATCH (s:Section) RETURN s.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (section:Section {id: id})
  RETURN COUNT { (section)-[:HAS_CHUNK]->(chunk:Chunk WHERE chunk.kind <> 'parent') } AS n_parts
  UNION ALL
  MATCH (author:Author {id: id})
  RETURN COUNT { (author)-[:WROTE]->(:Paper) } AS n_parts
}
RETURN id, n_parts
