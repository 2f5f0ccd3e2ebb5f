// Set under which keys, from which sources, papers' contents arrived.
//
// Parameters  $rows  LIST<MAP>  {id, keys, sources}: a paper's id, at least one key, the first being the paper's own,
//                               and one source for each key
// Returns     nothing
// Try it      :param rows => [{id: 'a1', keys: ['doi:10.1000/182'], sources: ['/papers/a.md']}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.key = row.keys[0], paper.keys = row.keys, paper.sources = row.sources, paper.nKeys = size(row.keys)
