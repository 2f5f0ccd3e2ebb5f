// Keys of a collection that are equal to one given, or that lie below a folder.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $keys        LIST<STRING>  keys, or ids of papers
//             $prefix      STRING        beginning of a key such as 'file:/papers/', or '' for none
// Returns     key  STRING  in order
// Try it      :param {collection: 'main', keys: ['doi:10.1000/182'], prefix: ''}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
UNWIND paper.keys AS key
WITH paper, key
WHERE key IN $keys OR paper.id IN $keys OR ($prefix <> '' AND key STARTS WITH $prefix)
RETURN DISTINCT key
ORDER BY key
