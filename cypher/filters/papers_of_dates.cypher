// Papers of a collection that were published from one day to another, both included.
//
// Of a paper of which the year alone is known, the whole year must lie between them.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $first        DATE          first day that passes
//             $last         DATE          last day that passes
// Returns     paper_ids  LIST<STRING>  papers; those of which neither is known are not among them
// Index       paper_listing (schema/model.py)
// Try it      :param {collections: ['main'], first: date('2000-01-01'), last: date('2030-12-31')}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections
WITH paper, date(paper.published) AS day, paper.year AS year
WHERE $first <= day <= $last
   OR (day IS NULL AND year IS NOT NULL
       AND $first <= date({year: year, month: 1, day: 1}) AND date({year: year, month: 12, day: 31}) <= $last)
RETURN collect(paper.id) AS paper_ids
