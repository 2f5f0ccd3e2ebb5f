// Ids and revisions of papers, of all collections or of one, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
//             $collection  STRING  null for all collections
// Returns     id        STRING  in order
//             revision  STRING  another one after each change of what belongs to the paper; null if nobody gave it one
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {after: '', limit: 10, collection: null}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND ($collection IS NULL OR paper.collection = $collection)
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id,
       paper.revision
         + coalesce(' ' + head(COLLECT { MATCH (whole:SchemaVersion {id: 'revision'}) RETURN whole.touched }), '') AS revision
ORDER BY id
