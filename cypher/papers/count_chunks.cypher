// How many chunks there are in all collections; read from a counter, whatever the graph's size.
//
// Parameters  none
// Returns     n_chunks  INTEGER
// Try it      paste as it is
CYPHER 25
MATCH (chunk:Chunk)
RETURN count(chunk) AS n_chunks
