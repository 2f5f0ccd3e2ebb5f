// How many papers and chunks there are in all collections; read from counters, whatever the graph's size.
//
// Parameters  none
// Returns     n_papers, n_chunks  INTEGER
// Try it      paste as it is
CYPHER 25
CALL () { MATCH (paper:Paper) RETURN count(paper) AS n_papers }
CALL () { MATCH (chunk:Chunk) RETURN count(chunk) AS n_chunks }
RETURN n_papers, n_chunks
