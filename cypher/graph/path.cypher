// A shortest way between two nodes, over any relationships of the graph, in any direction; nothing if it is too long.
//
// Parameters  $start        STRING        id of a paper, section, chunk, author, reference, question, entity or cluster
//             $end          STRING        id of another one
//             $most         INTEGER       most relationships, 1 to 6
//             $collections  LIST<STRING>  collections that all of the way has to stand in, or null for all
// Returns     ids    LIST<STRING>  of the nodes, in order
//             types  LIST<STRING>  of the relationships between them
//             along  LIST<BOOLEAN>  for each of them whether it leads from the node before it to the one behind it
// Index       paper_id, chunk_id, entity_id (schema/model.py)
// Try it      :param start => head(COLLECT { MATCH (p:Paper) RETURN p.id ORDER BY p.id LIMIT 1 })
//             :param end => head(COLLECT { MATCH (c:Chunk) RETURN c.id ORDER BY c.paperId LIMIT 1 })
//             :param {most: 4, collections: null}
CYPHER 25
CALL () {
  UNWIND [$start, $end] AS id
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
  RETURN collect(node) AS ends
}
WITH ends[0] AS first, ends[1] AS last WHERE last IS NOT NULL AND first <> last
MATCH way = SHORTEST 1 (first)
  (
    ()-[:WROTE|HAS_SECTION|HAS_SUBSECTION|HAS_CHUNK|NEXT_CHUNK|CHILD_OF|HAS_REFERENCE|CITES|CITES_REFERENCE|ANSWERED_BY|MENTIONS|RELATED_TO|SAME_AS|SIMILAR|IN_CLUSTER|PARENT_OF]-(inner)
    WHERE $collections IS NULL OR inner.collection IN $collections
  ){1,6}
  (last)
WHERE length(way) <= $most AND ($collections IS NULL OR first.collection IN $collections)
RETURN [node IN nodes(way) | node.id] AS ids, [step IN relationships(way) | type(step)] AS types,
       [place IN range(0, length(way) - 1) | startNode(relationships(way)[place]) = nodes(way)[place]] AS along
