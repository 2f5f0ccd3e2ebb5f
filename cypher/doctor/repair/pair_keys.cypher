// Give papers a source for each key, and count the keys; where a source is missing it is the path in the key, or '',
// and a source without a key goes.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      given a source for each key, and counted
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH paper, size(paper.keys) AS n_keys
WHERE paper.keys[0] = paper.key AND (size(paper.sources) <> n_keys OR paper.nKeys <> n_keys)
SET paper.nKeys = n_keys, paper.sources = [position IN range(0, n_keys - 1) | coalesce(
  paper.sources[position],
  CASE WHEN paper.keys[position] STARTS WITH 'file:' THEN substring(paper.keys[position], 5) ELSE '' END
)]
RETURN count(*) AS n_repaired
