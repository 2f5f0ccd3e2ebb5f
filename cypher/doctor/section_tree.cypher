// Sections with two sections above them, one of another paper, or one that is not a level higher.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       450
// Try it      :param {limit: 10}
CYPHER 25
MATCH (section:Section)
CALL (section) {
  OPTIONAL MATCH (above:Section)-[:HAS_SUBSECTION]->(section)
  RETURN count(above) AS n_above, max(above.level) AS level_above,
         count(CASE WHEN above.paperId <> section.paperId THEN 1 END) AS n_foreign
}
WITH section, n_above, n_foreign, coalesce(level_above, 0) AS level_above
WHERE n_above > 1 OR n_foreign > 0 OR section.level <> level_above + 1
RETURN section.id AS id, section.paperId AS paper_id,
       'level ' + section.level + ' below ' + n_above + ' of level ' + level_above + ', ' + n_foreign
         + ' of them of another paper' AS problem
ORDER BY id LIMIT $limit
