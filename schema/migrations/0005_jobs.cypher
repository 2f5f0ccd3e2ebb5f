// The ledger of ingestion: jobs and their tasks, found by state in the order in which they are worked off.
CREATE CONSTRAINT ingest_job_id IF NOT EXISTS FOR (n:IngestJob) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT ingest_task_id IF NOT EXISTS FOR (n:IngestTask) REQUIRE n.id IS UNIQUE;
CREATE INDEX ingest_task_turn IF NOT EXISTS FOR (n:IngestTask) ON (n.jobId, n.state, n.attempts, n.ordinal);
