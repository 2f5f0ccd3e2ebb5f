// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;

/**
 * Document of a job, or a paper to enrich.
 *
 * @param attempts Number of attempts.
 * @param detail Reason as text.
 * @param id Id of the task.
 * @param key Key of the resulting paper.
 * @param language Language of the paper as ISO 639-1 code, if certain.
 * @param nChunks Number of chunks of the paper, as soon as it is cut.
 * @param nEmbedded Number of embedded chunks, while the document is embedded.
 * @param nSections Number of sections of the paper.
 * @param nextTryAt Time of the next attempt.
 * @param outcome Effect: added, replaced, joined, unchanged or superseded.
 * @param reason Reason of the failure, from a closed list.
 * @param secondsLeft Seconds until its chunks are embedded, while that is known.
 * @param source Source of the document; only the name of a local file.
 * @param stage Last stage: fetch, parse, chunk, embed, write, or an enrichment.
 * @param state State of the document. Known values: queued, running, done, failed, quarantined, cancelled.
 * @param title Title of the resulting paper.
 * @param warning Reason why searches may miss the paper, with the next step.
 */
public record Task(
    Integer attempts,
    String detail,
    String id,
    String key,
    String language,
    Integer nChunks,
    Integer nEmbedded,
    Integer nSections,
    OffsetDateTime nextTryAt,
    String outcome,
    String reason,
    Double secondsLeft,
    String source,
    String stage,
    String state,
    String title,
    String warning) {}
