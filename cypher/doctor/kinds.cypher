// Sections of a kind that there is not.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       470
// Try it      :param {limit: 10}
CYPHER 25
MATCH (section:Section)
WHERE NOT section.kind IN ['front', 'abstract', 'body', 'references', 'acknowledgements', 'appendix']
RETURN section.id AS id, section.paperId AS paper_id, 'is of kind ' + section.kind AS problem
ORDER BY id LIMIT $limit
