// Under which keys, from which sources, papers of a collection arrived that have a key or id or came from a path.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $keys        LIST<STRING>  keys, as stored or shown, or ids of papers
//             $path        STRING        absolute path of a file, or '' for none
//             $below       LIST<STRING>  beginnings of names such as '/papers/', or '/papers.jsonl#' for its records
// Returns     key, source  STRING  in order
// Try it      :param {collection: 'main', keys: ['doi:10.1000/182'], path: '/papers/a.md', below: ['/papers/a.md/']}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
UNWIND range(0, size(paper.keys) - 1) AS position
WITH paper, paper.keys[position] AS key, paper.sources[position] AS source
WHERE key IN $keys OR paper.id IN $keys OR source = $path OR any(begin IN $below WHERE source STARTS WITH begin)
  OR (key STARTS WITH 'file:/' AND 'file:' + split(key, '/')[-1] + '#' + substring(paper.id, 0, 16) IN $keys)
RETURN DISTINCT key, source
ORDER BY key, source
