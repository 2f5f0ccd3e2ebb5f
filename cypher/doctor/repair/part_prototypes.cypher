// Take questions and chunks from their prototypes; they are put to the nearest anew.
//
// Parameters  $ids  LIST<STRING>  ids of questions and chunks
// Returns     n_repaired  INTEGER
// Action      parted, to be put to the nearest
// Try it      :param {ids: ['q0']}
CYPHER 25
UNWIND $ids AS id
MATCH (one:Question|Chunk {id: id})
MATCH (one)<-[stands:STANDS_FOR]-(:Prototype)
DELETE stands
WITH DISTINCT one
CALL (one) {
  MATCH (state:EnrichmentState {name: 'prototypes'})
  WHERE state.collection = one.collection
  DELETE state
}
RETURN count(*) AS n_repaired
