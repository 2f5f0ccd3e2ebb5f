// Delete a paper's node; its parts and authors go first, by delete_parts and forget_authors.
//
// Parameters  $id  STRING  id of the paper
// Returns     nothing
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (paper:Paper {id: $id})
DETACH DELETE paper
