// Sources whose text is packed, and which state no affiliations yet, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id, parts  STRING  in order of id
// Index       source_id (schema/migrations/0013_sources.cypher)
// Try it      :param {after: '', limit: 10}
CYPHER 25
MATCH (source:Source)
WHERE source.id > $after AND source.parts IS NOT NULL AND source.affiliations IS NULL
RETURN source.id AS id, source.parts AS parts
ORDER BY id LIMIT $limit
