// The uploads that jobs name which are not finished.
//
// Parameters  none
// Returns     source  STRING  upload:ID/NAME
// Try it      paste as it is
CYPHER 25
MATCH (job:IngestJob)
WHERE job.state IN ['queued', 'running', 'paused']
UNWIND job.specs AS source
WITH source WHERE source STARTS WITH 'upload:'
RETURN DISTINCT source
ORDER BY source
