// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Answer or refusal as it was given and stored.
 *
 * @param answerability Answerability, 0 to 1.
 * @param asked Question as it was asked.
 * @param askedAt Time of the answer.
 * @param citations Citations of the text, in its order.
 * @param collection Collection that was asked.
 * @param dropped Generated text that failed verification.
 * @param grounded True if all generated text passed verification.
 * @param id Id of the answer.
 * @param llmGenerated True if a language model wrote the answer.
 * @param message Reason of a refusal in words.
 * @param model Name of the language model, if one wrote it.
 * @param namedQuery Query over the graph, if it answered instead of passages.
 * @param question Question as it was searched for, completed from the history.
 * @param ratings Ratings, the newest first, one per reader.
 * @param reason Reason of a refusal. Known values: no_evidence, out_of_scope, unchecked, model_unavailable.
 * @param sources Passages of the answer; of a refusal, the nearest.
 * @param text Sentences, each with its citations [n]; null for a refusal.
 * @param warnings Warnings about degraded steps.
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
