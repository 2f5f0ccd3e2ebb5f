// Sections that do not stand in exactly one paper, the one whose id they hold.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      place_sections, delete_sections, mark_papers
// Order       60
// Try it      :param {limit: 10}
CYPHER 25
MATCH (section:Section)
WITH section, COUNT { (:Paper)-[:HAS_SECTION]->(section) } AS n_papers,
     EXISTS { (:Paper {id: section.paperId})-[:HAS_SECTION]->(section) } AS at_home
WHERE n_papers <> 1 OR NOT at_home
RETURN section.id AS id, section.paperId AS paper_id,
       'stands in ' + n_papers + ' papers' + CASE WHEN at_home THEN '' ELSE ', not in its own' END AS problem
ORDER BY id LIMIT $limit
