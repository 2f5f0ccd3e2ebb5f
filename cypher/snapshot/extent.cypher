// What a store holds: the names of its first and last collection, or of all that are in a copy, with its age.
//
// Parameters  none
// Returns     collections  LIST<STRING>  all that there are, where there is one or none
//             copied_at    DATETIME      of a copy, as of when it is; else null
// Index       paper_listing, schema_version_id (schema/model.py)
// Try it      paste as it is
CYPHER 25
CALL () {
  OPTIONAL MATCH (paper:Paper)
  WHERE paper.collection IS NOT NULL AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  RETURN paper.collection AS first
  ORDER BY first LIMIT 1
}
CALL () {
  OPTIONAL MATCH (paper:Paper)
  WHERE paper.collection IS NOT NULL AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  RETURN paper.collection AS last
  ORDER BY last DESC LIMIT 1
}
OPTIONAL MATCH (copy:SchemaVersion {id: 'copy'})
RETURN coalesce(copy.collections, CASE WHEN first IS NULL THEN [] WHEN first = last THEN [first] ELSE [first, last] END)
         AS collections, copy.copiedAt AS copied_at
