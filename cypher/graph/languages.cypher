// Languages of the papers of several collections, as far as they are certain.
//
// Parameters  $ids  LIST<STRING>  names of collections
// Returns     collection  STRING
//             languages   LIST<STRING>  ISO 639-1 codes, in order
// Index       paper_language (schema/model.py)
// Try it      :param {ids: ['main']}
CYPHER 25
UNWIND $ids AS collection
MATCH (paper:Paper {collection: collection})
WHERE paper.language IS NOT NULL
WITH DISTINCT collection, paper.language AS language
ORDER BY language
RETURN collection, collect(language) AS languages
ORDER BY collection
