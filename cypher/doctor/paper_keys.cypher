// Papers whose keys, sources and number of keys do not belong together.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph papers delete these papers by their ids, and ingest their files again
// Repair      pair_keys
// Order       400
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE size(paper.keys) <> size(paper.sources) OR size(paper.keys) <> paper.nKeys OR paper.keys[0] <> paper.key
   OR size(paper.keys) = 0
RETURN paper.id AS id, paper.id AS paper_id,
       size(paper.keys) + ' keys, ' + size(paper.sources) + ' sources, nKeys ' + paper.nKeys + ', key ' + paper.key
         AS problem
ORDER BY id LIMIT $limit
