// Sections of a kind that there is not.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Try it      :param {limit: 10}
CYPHER 25
MATCH (section:Section)
WHERE NOT section.kind IN ['front', 'abstract', 'body', 'references', 'acknowledgements', 'appendix']
RETURN section.id AS id, section.paperId AS paper_id, 'is of kind ' + section.kind AS problem
ORDER BY id LIMIT $limit
