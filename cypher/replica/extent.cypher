// First and last collection of a store by name; of a replica all collections and the time of its content.
//
// Parameters  none
// Returns     collections  LIST<STRING>  at most two names of a store, all of a replica
//             copied_at    DATETIME      time of a replica; null of a store
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
OPTIONAL MATCH (replica:SchemaVersion {id: 'replica'})
RETURN coalesce(replica.collections, CASE WHEN first IS NULL THEN [] WHEN first = last THEN [first] ELSE [first, last] END)
         AS collections, replica.copiedAt AS copied_at
