// Papers of collections with an editorial status.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $statuses     LIST<STRING>  retracted, concern, corrected or reinstated
// Returns     paper_ids  LIST<STRING>  papers with one of them
// Index       paper_status (schema/model.py)
// Try it      :param {collections: ['main'], statuses: ['retracted']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections AND paper.editorialStatus IN $statuses
RETURN collect(paper.id) AS paper_ids
