// How many chunks sections have of their own, and how many papers authors wrote.
//
// Parameters  $ids  LIST<STRING>  ids of sections and authors
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     id  STRING
//             n_parts  INTEGER
// Index       section_id, author_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (s:Section) RETURN s.id LIMIT 3 }
//             :param {collections: null}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (section:Section {id: id})
  WHERE $collections IS NULL OR section.collection IN $collections
  RETURN COUNT { (section)-[:HAS_CHUNK]->(chunk:Chunk WHERE chunk.kind <> 'parent') } AS n_parts
  UNION ALL
  MATCH (author:Author {id: id})
  WHERE $collections IS NULL OR author.collection IN $collections
  RETURN COUNT {
    (author)-[:WROTE]->(paper:Paper WHERE $collections IS NULL OR paper.collection IN $collections)
  } AS n_parts
}
RETURN id, n_parts
