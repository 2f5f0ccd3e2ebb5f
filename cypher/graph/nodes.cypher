// Papers, sections, chunks, authors, references, questions, entities and clusters by id, in any mixture.
//
// Parameters  $ids  LIST<STRING>  ids of nodes
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     label  STRING  of the node
//             node  MAP  properties, vectors left out
//             path  LIST<STRING>  of a section, headings down to its own; else empty
//             parent_id  STRING  of a section, id of the one above it; else null
// Index       paper_id, section_id, chunk_id, author_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (n:Paper|Chunk) RETURN n.id LIMIT 3 }
//             :param {collections: null}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (node:Paper {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Paper' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Section {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  MATCH way = (top:Section)-[:HAS_SUBSECTION*0..12]->(node)
  WHERE NOT EXISTS { (:Section)-[:HAS_SUBSECTION]->(top) }
  RETURN 'Section' AS label, node { .* } AS node,
         [heading IN nodes(way) | heading.title] AS path, [heading IN nodes(way) | heading.id][-2] AS parent_id
  UNION ALL
  MATCH (node:Chunk {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Chunk' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Author {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Author' AS label, node { .* } AS node, [] AS path, null AS parent_id
  UNION ALL
  MATCH (node:Reference {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Reference' AS label, node { .* } AS node, [] AS path, null AS parent_id
  UNION ALL
  MATCH (node:Question {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Question' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Entity {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Entity' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
  UNION ALL
  MATCH (node:Cluster {id: id})
  WHERE $collections IS NULL OR node.collection IN $collections
  RETURN 'Cluster' AS label, node { .*, embedding: null, secondEmbedding: null } AS node, [] AS path,
         null AS parent_id
}
RETURN label, node, path, parent_id
