// Project a graph of numbered nodes into the catalog of Graph Data Science, the nodes first and in their order.
//
// Parameters  $name        STRING         what it is called there
//             $ids         LIST<INTEGER>  numbers of its nodes
//             $sources     LIST<INTEGER>  of each relationship the node that it starts at
//             $targets     LIST<INTEGER>  of each the node that it ends at
//             $weights     LIST<FLOAT>    of each its weight
//             $undirected  LIST<STRING>   ['*'] if both ways are the same, else []
// Returns     graph  MAP  name and counts; null for a graph without nodes
// Source      https://neo4j.com/docs/graph-data-science/current/management-ops/graph-creation/graph-project-cypher-projection
// Try it      :param {name: 'example', ids: [], sources: [], targets: [], weights: [], undirected: ['*']}
CYPHER 25
CALL () {
  UNWIND $ids AS source
  RETURN source, null AS target, 1.0 AS weight
  UNION ALL
  UNWIND range(0, size($sources) - 1) AS at
  RETURN $sources[at] AS source, $targets[at] AS target, $weights[at] AS weight
}
RETURN gds.graph.project(
  $name, source, target, {relationshipProperties: {weight: weight}}, {undirectedRelationshipTypes: $undirected}
) AS graph
