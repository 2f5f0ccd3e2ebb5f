// How many jobs the ledger has.
//
// Parameters  $collections  LIST<STRING>  only those of these collections, or null for all
// Returns     n  INTEGER
// Try it      :param {collections: null}
CYPHER 25
MATCH (job:IngestJob)
WHERE $collections IS NULL OR job.collection IN $collections
RETURN count(job) AS n
