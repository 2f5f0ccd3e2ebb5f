// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Answer of one pipeline and reader, with the figures that it is compared by.
 *
 * @param accepted Share of the written sentences that was accepted, 0 to 1.
 * @param answerability Estimated probability that the passages hold an answer, 0 to 1.
 * @param citations Citations of the text, in its order.
 * @param droppedSentences Number of sentences that failed verification.
 * @param groundedSentences Number of sentences with an accepted citation.
 * @param llmGenerated True if a language model wrote the text.
 * @param message Reason of a refusal as text.
 * @param pipeline Name of the pipeline.
 * @param reader Input of the language model. Known values: passages, questions, pages.
 * @param reason Reason of a refusal. Known values: no_evidence, out_of_scope, unchecked, model_unavailable.
 * @param text Sentences, each with its citations [n]; null for a refusal.
 * @param usage Language model usage of this attempt.
 */
public record AnswerAttempt(
    Double accepted,
    Double answerability,
    List<AnswerCitation> citations,
    Integer droppedSentences,
    Integer groundedSentences,
    Boolean llmGenerated,
    String message,
    String pipeline,
    String reader,
    String reason,
    String text,
    ModelUsage usage) {}
