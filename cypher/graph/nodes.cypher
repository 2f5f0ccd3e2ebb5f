// Papers, sections, chunks and authors by id, in any mixture.
//
// Parameters  $ids  LIST<STRING>  ids of nodes
// Returns     label  STRING  Paper, Section, Chunk or Author
//             node  MAP  properties, embeddings left out
//             path  LIST<STRING>  of a section, headings down to its own; else empty
//             parent_id  STRING  of a section, id of the one above it; else null
// Index       paper_id, section_id, chunk_id, author_id (schema/migrations/0001_constraints.cypher)
// Try it      :param ids => COLLECT { MATCH (n:Paper|Chunk) RETURN n.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (node:Paper {id: id})
  RETURN 'Paper' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Section {id: id})
  MATCH way = (top:Section)-[:HAS_SUBSECTION*0..12]->(node)
  WHERE NOT EXISTS { (:Section)-[:HAS_SUBSECTION]->(top) }
  RETURN 'Section' AS label, node { .*, embedding: null, secondEmbedding: null } AS node,
         [heading IN nodes(way) | heading.title] AS path, [heading IN nodes(way) | heading.id][-2] AS parent_id
  UNION ALL
  MATCH (node:Chunk {id: id})
  RETURN 'Chunk' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Author {id: id})
  RETURN 'Author' AS label, node { .* } AS node, [] AS path, null AS parent_id
}
RETURN label, node, path, parent_id
