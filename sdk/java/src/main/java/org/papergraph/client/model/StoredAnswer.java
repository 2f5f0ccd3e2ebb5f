// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Answer or refusal as it was given and stored.
 *
 * @param answerability Answerability.
 * @param asked Question as it was asked.
 * @param askedAt Asked at.
 * @param citations Citations.
 * @param collection Collection.
 * @param dropped Dropped.
 * @param grounded Grounded.
 * @param id Id.
 * @param llmGenerated Llm generated.
 * @param message Message.
 * @param model Model.
 * @param namedQuery Query over the graph, if it answered instead of passages.
 * @param question Question as it was searched for, completed from the history.
 * @param ratings Ratings, the newest first, one per reader.
 * @param reason Reason of a refusal. Known values: no_evidence, out_of_scope, unchecked, model_unavailable.
 * @param sources Sources.
 * @param text Sentences, each with its citations {@code [n]}; null for a refusal.
 * @param warnings Warnings.
 */
public record StoredAnswer(
    Double answerability,
    String asked,
    OffsetDateTime askedAt,
    List<AnswerCitation> citations,
    String collection,
    List<DroppedText> dropped,
    Boolean grounded,
    String id,
    Boolean llmGenerated,
    String message,
    String model,
    NamedAnswer namedQuery,
    String question,
    List<AnswerRating> ratings,
    String reason,
    List<StoredSource> sources,
    String text,
    List<String> warnings) {}
