// Replace paths of files by their names in manual decisions on authors.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Index       none: all reviews are read
// Try it      paste as it is
CYPHER 25
MATCH (review:Review)
WHERE any(one IN review.about WHERE one STARTS WITH 'file:/')
CALL (review) {
  SET review.about = [one IN review.about | CASE WHEN one STARTS WITH 'file:/'
                      THEN 'file:' + split(one, '/')[-1] ELSE one END]
} IN TRANSACTIONS OF 1000 ROWS
