// What sources of papers say of venues and affiliations.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id, collection, journal_ref  STRING
//             venue_ids, affiliations, affiliation_ids  LIST<STRING>  or null
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.journalRef IS NOT NULL OR paper.affiliations IS NOT NULL
   OR EXISTS { (paper)-[:PUBLISHED_IN|AFFILIATED_WITH]->() }
RETURN id, paper.collection AS collection, paper.journalRef AS journal_ref, paper.venueIds AS venue_ids,
       paper.affiliations AS affiliations, paper.affiliationIds AS affiliation_ids
