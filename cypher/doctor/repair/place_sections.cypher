// Put sections into the paper whose id they hold, where that is there, and into no other.
//
// Parameters  $ids  LIST<STRING>  ids of sections
// Returns     n_repaired  INTEGER
// Action      put into their papers
// Try it      :param {ids: ['s1']}
CYPHER 25
UNWIND $ids AS id
MATCH (section:Section {id: id})
MATCH (home:Paper {id: section.paperId})
MERGE (home)-[:HAS_SECTION]->(section)
WITH home, section
CALL (home, section) {
  MATCH (other:Paper)-[wrong:HAS_SECTION]->(section)
  WHERE other <> home
  DELETE wrong
}
RETURN count(*) AS n_repaired
