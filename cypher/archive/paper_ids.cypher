// Ids and revisions of papers, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id        STRING  in order
//             revision  STRING  another one after each change of what belongs to the paper; null if nobody gave it one,
//                               or while something writes that may change all (papergraph/revisions.py)
// Index       paper_id (schema/model.py)
// Try it      :param {after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after
WITH paper ORDER BY paper.id LIMIT $limit
OPTIONAL MATCH (whole:SchemaVersion {id: 'revision'})
RETURN paper.id AS id,
       CASE WHEN any(one IN whole.waiting WHERE datetime(split(one, ' ')[0]) > datetime()) THEN null
            ELSE paper.revision + coalesce(' ' + whole.touched, '') END AS revision
ORDER BY id
