// Quotes that a passage of their paper still has.
//
// Parameters  $quotes  LIST<MAP>  paper_id and quote of each
// Returns     place  INTEGER  position in $quotes, from 0
// Index       chunk_position (schema/model.py)
// Try it      :param {quotes: [{paper_id: 'a1', quote: 'the tides'}]}
CYPHER 25
UNWIND range(0, size($quotes) - 1) AS place
WITH place, $quotes[place] AS one
WHERE EXISTS {
  MATCH (chunk:Chunk {paperId: one.paper_id})
  WHERE chunk.ordinal >= 0 AND chunk.text CONTAINS one.quote
}
RETURN place ORDER BY place
