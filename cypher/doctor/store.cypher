// How much a store holds.
//
// Parameters  none
// Returns     n_papers, n_sections, n_chunks  INTEGER
// Try it      paste as it is
CYPHER 25
CALL () { MATCH (node:Paper) RETURN count(node) AS n_papers }
CALL () { MATCH (node:Section) RETURN count(node) AS n_sections }
CALL () { MATCH (node:Chunk) RETURN count(node) AS n_chunks }
RETURN n_papers, n_sections, n_chunks
