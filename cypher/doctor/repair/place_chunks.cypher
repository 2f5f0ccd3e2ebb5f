// Put chunks into the section whose id they hold, where that is there, and into no other.
//
// Parameters  $ids  LIST<STRING>  ids of chunks
// Returns     n_repaired  INTEGER
// Action      put into their sections
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
MATCH (home:Section {id: chunk.sectionId, paperId: chunk.paperId})
MERGE (home)-[:HAS_CHUNK]->(chunk)
WITH home, chunk
CALL (home, chunk) {
  MATCH (other:Section)-[wrong:HAS_CHUNK]->(chunk)
  WHERE other <> home
  DELETE wrong
}
RETURN count(*) AS n_repaired
