// Note that links of papers were found, unless they have changed since they were read.
//
// Parameters  $rows  LIST<MAP>  {id, content, recipe, linked_by}: a paper as it was read, and how its links were found
// Returns     nothing
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param rows => [{id: 'a1', content: 'ab', recipe: 'cd', linked_by: 'ef'}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
WHERE paper.contentHash = row.content AND paper.recipe = row.recipe
SET paper.linkedBy = row.linked_by
