// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/**
 * Ingestion or enrichment job with its progress.
 *
 * @param collection Collection of the papers.
 * @param createdAt Time of the request.
 * @param detail Reason of the pause.
 * @param finishedAt Time of the end or the cancellation.
 * @param id Id of the job.
 * @param kind Kind of work. Known values: documents, enrichments.
 * @param nDocuments Number of documents found.
 * @param nEmbedded Number of chunks embedded so far.
 * @param nPending Number of open documents.
 * @param nUnchanged Number of unchanged documents; they have no task.
 * @param progress Fraction of finished documents, 0 to 1.
 * @param sources Sources of the job; only names of local files.
 * @param stages Number of running documents per stage.
 * @param state State of the job. Known values: queued, running, paused, done, cancelled.
 * @param states Number of documents per state.
 * @param waitsFor What is missing for the job to go on, if anything. Known values: worker.
 */
public record Job(
    String collection,
    OffsetDateTime createdAt,
    String detail,
    OffsetDateTime finishedAt,
    String id,
    String kind,
    Integer nDocuments,
    Integer nEmbedded,
    Integer nPending,
    Integer nUnchanged,
    Double progress,
    List<String> sources,
    Map<String, Integer> stages,
    String state,
    Map<String, Integer> states,
    String waitsFor) {}
