// All watches, in the order in which they were made.
//
// Parameters  none
// Returns     watch     MAP      properties without the state
//             is_due    BOOLEAN  whether it should run now
//             is_held   BOOLEAN  whether a process runs it
//             has_feed  BOOLEAN  whether its feed has an address
// Try it      paste as it is
CYPHER 25
MATCH (watch:Watch)
RETURN watch {.*, state: null, feedSha256: null} AS watch, NOT watch.isPaused AND watch.nextAt <= datetime() AS is_due,
       coalesce(watch.heldUntil > datetime(), false) AS is_held, watch.feedSha256 IS NOT NULL AS has_feed
ORDER BY watch.createdAt, watch.id
