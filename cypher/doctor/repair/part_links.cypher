// Forget the links of papers, so that they are found again; titles of theirs that no other has are referred to no more.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      parted from them, to be linked again
// Given       papers
// Try it      :param {ids: ['a0']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
REMOVE paper.linksConfigHash
WITH paper
CALL (paper) {
  MATCH (paper)-[link:TITLED]->(name:Name)
  DELETE link
  RETURN collect(name) AS names
}
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(:Chunk)-[link:NAMES|REFERS_TO]->(:Name)
  DELETE link
}
CALL (names) {
  UNWIND names AS name
  WITH name WHERE NOT EXISTS { (:Paper)-[:TITLED]->(name) }
  MATCH (:Chunk)-[link:REFERS_TO]->(name)
  DELETE link
}
CALL (paper) {
  MATCH (state:EnrichmentState {name: 'links'})
  WHERE state.collection = paper.collection
  DELETE state
}
RETURN count(*) AS n_repaired
