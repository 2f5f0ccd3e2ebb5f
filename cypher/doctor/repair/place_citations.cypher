// Put citations into the paper whose id they hold, where that is there, and into no other.
//
// Parameters  $ids  LIST<STRING>  ids of citations
// Returns     n_repaired  INTEGER
// Action      put into their papers
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (citation:Citation {id: id})
MATCH (home:Paper {id: citation.paperId})
MERGE (home)-[:HAS_CITATION]->(citation)
WITH home, citation
CALL (home, citation) {
  MATCH (other:Paper)-[wrong:HAS_CITATION]->(citation)
  WHERE other <> home
  DELETE wrong
}
RETURN count(*) AS n_repaired
