// Set under which keys, from which sources, a paper's content arrived.
//
// Parameters  $id       STRING        id of the paper
//             $keys     LIST<STRING>  at least one; the first is the paper's own
//             $sources  LIST<STRING>  one for each key
// Returns     nothing
// Try it      :param {id: 'a1', keys: ['doi:10.1000/182'], sources: ['/papers/a.md']}
CYPHER 25
MATCH (paper:Paper {id: $id})
SET paper.key = $keys[0], paper.keys = $keys, paper.sources = $sources, paper.nKeys = size($keys)
