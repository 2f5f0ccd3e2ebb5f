// Sources of a collection by a key, by the id, DOI or arXiv id of their paper, or by where they are from.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $keys        LIST<STRING>  keys, as stored or shown, or ids of papers
//             $path        STRING        absolute path of a file, or '' for none
//             $below       LIST<STRING>  beginnings of names such as '/papers/', or '/papers.jsonl#' for its records
// Returns     key, source  STRING  in order
// Index       source_key (schema/model.py)
// Try it      :param {collection: 'main', keys: ['doi:10.1000/182'], path: '/papers/a.md', below: ['/papers/a.md/']}
CYPHER 25
MATCH (paper:Paper {collection: $collection})-[:HAS_SOURCE]->(source:Source)
WHERE source.kind <> 'edit'
WITH paper, source, [key IN $keys WHERE key = paper.id OR key = 'doi:' + paper.doi OR key = 'arxiv:' + paper.arxivId] AS whole
WHERE whole <> [] OR source.key IN $keys OR source.name = $path OR any(begin IN $below WHERE source.name STARTS WITH begin)
  OR (source.key STARTS WITH 'file:/' AND 'file:' + split(source.key, '/')[-1] + '#' + substring(paper.id, 0, 16) IN $keys)
RETURN DISTINCT source.key AS key, source.name AS source
ORDER BY key, source
