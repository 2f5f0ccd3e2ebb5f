// References that do not stand in exactly one paper's list of references, the one whose id they hold.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      place_references, delete_references, mark_papers
// Order       80
// Try it      :param {limit: 10}
CYPHER 25
MATCH (reference:Reference)
WITH reference, COUNT { (:Paper)-[:HAS_REFERENCE]->(reference) } AS n_papers,
     EXISTS { (:Paper {id: reference.paperId})-[:HAS_REFERENCE]->(reference) } AS at_home
WHERE n_papers <> 1 OR NOT at_home
RETURN reference.id AS id, reference.paperId AS paper_id,
       'stands in ' + n_papers + ' papers' + CASE WHEN at_home THEN '' ELSE ', not in its own' END AS problem
ORDER BY id LIMIT $limit
