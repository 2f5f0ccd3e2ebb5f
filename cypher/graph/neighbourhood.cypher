// Nodes around several nodes: of each type of relationship some, the closest first, and how many there are.
//
// Parameters  $ids          LIST<STRING>  ids of papers, chunks, authors, references, questions, entities or clusters
//             $types        LIST<STRING>  types of relationships to follow, in both directions
//             $limit        INTEGER       neighbours of each node by each type, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     id, label, name  STRING  of a node that was asked for
//             degree  INTEGER  its relationships of any type
//             type  STRING  of the relationships, or null for a node without any
//             n  INTEGER  neighbours by this type
//             neighbours  LIST<MAP>  {id, label, name, degree: INTEGER, outward: BOOLEAN, weight: FLOAT or null}
// Index       paper_id, chunk_id, entity_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {types: ['WROTE', 'CITES'], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (node:Paper {id: id}) RETURN node
  UNION ALL
  MATCH (node:Section {id: id}) RETURN node
  UNION ALL
  MATCH (node:Chunk {id: id}) RETURN node
  UNION ALL
  MATCH (node:Author {id: id}) RETURN node
  UNION ALL
  MATCH (node:Reference {id: id}) RETURN node
  UNION ALL
  MATCH (node:Question {id: id}) RETURN node
  UNION ALL
  MATCH (node:Entity {id: id}) RETURN node
  UNION ALL
  MATCH (node:Cluster {id: id}) RETURN node
}
WITH node WHERE $collections IS NULL OR node.collection IN $collections
OPTIONAL CALL (node) {
  MATCH (node)-[link]-(other:Paper|Section|Chunk|Author|Reference|Question|Entity|Cluster)
  WHERE type(link) IN $types AND ($collections IS NULL OR other.collection IN $collections)
  WITH type(link) AS type, other, startNode(link) = node AS outward,
       max(toFloatOrNull(coalesce(properties(link).score, properties(link).weight))) AS weight
  ORDER BY weight DESC, other.id
  WITH type, collect({
    id: other.id, outward: outward, weight: weight, degree: COUNT { (other)--() },
    label: head([label IN labels(other) WHERE label IN
      ['Paper', 'Section', 'Chunk', 'Author', 'Reference', 'Question', 'Entity', 'Cluster']]),
    name: left(coalesce(properties(other).title, properties(other).name, properties(other).text, other.id), 200)
  }) AS found
  RETURN type, size(found) AS n, found[..$limit] AS neighbours
}
RETURN node.id AS id,
       head([label IN labels(node) WHERE label IN
         ['Paper', 'Section', 'Chunk', 'Author', 'Reference', 'Question', 'Entity', 'Cluster']]) AS label,
       left(coalesce(properties(node).title, properties(node).name, properties(node).text, node.id), 200) AS name,
       COUNT { (node)--() } AS degree, type, n, neighbours
ORDER BY id, type
