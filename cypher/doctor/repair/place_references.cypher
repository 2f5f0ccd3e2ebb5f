// Put references into the paper whose id they hold, where that is there, and into no other.
//
// Parameters  $ids  LIST<STRING>  ids of references
// Returns     n_repaired  INTEGER
// Action      put into their papers
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (reference:Reference {id: id})
MATCH (home:Paper {id: reference.paperId})
MERGE (home)-[:HAS_REFERENCE]->(reference)
WITH home, reference
CALL (home, reference) {
  MATCH (other:Paper)-[wrong:HAS_REFERENCE]->(reference)
  WHERE other <> home
  DELETE wrong
}
RETURN count(*) AS n_repaired
