// Sources that are not of one paper.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix, and ingest the files of these sources again; edits of a person stay
// Repair      delete_sources
// Order       406
// Try it      :param {limit: 10}
CYPHER 25
MATCH (source:Source)
WITH source, COUNT { (:Paper)-[:HAS_SOURCE]->(source) } AS n_papers
WHERE n_papers <> 1
RETURN coalesce(source.id, elementId(source)) AS id, null AS paper_id, source.name + ' is of ' + n_papers + ' papers' AS problem
ORDER BY id LIMIT $limit
