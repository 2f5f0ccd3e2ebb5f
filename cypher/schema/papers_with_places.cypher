// Papers with what their sources say of venues and affiliations, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id, collection, journal_ref  STRING  in order of id
//             venue_ids, affiliations, affiliation_ids  LIST<STRING>  or null
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND (paper.journalRef IS NOT NULL OR paper.affiliations IS NOT NULL)
RETURN paper.id AS id, paper.collection AS collection, paper.journalRef AS journal_ref, paper.venueIds AS venue_ids,
       paper.affiliations AS affiliations, paper.affiliationIds AS affiliation_ids
ORDER BY id LIMIT $limit
