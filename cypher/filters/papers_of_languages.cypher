// Papers of a collection in some languages.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $languages    LIST<STRING>  ISO 639-1 codes in lower case, for example ['de']
// Returns     language  STRING         of those asked for
//             paper_ids  LIST<STRING>  papers in it
// Index       paper_language (schema/model.py)
// Try it      :param {collections: ['main'], languages: ['de', 'en']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections AND paper.language IN $languages
RETURN paper.language AS language, collect(paper.id) AS paper_ids
