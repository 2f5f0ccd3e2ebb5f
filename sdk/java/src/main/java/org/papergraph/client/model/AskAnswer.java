// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Answer or refusal.
 *
 * @param answerability Answerability: estimated probability that the passages hold an answer, 0 to 1.
 * @param attempts Answers of all pipelines and readers, the best first, which is this one; empty if there were not several.
 * @param citations Citations.
 * @param dropped Dropped.
 * @param grounded True if all generated text passed verification; false for a refusal.
 * @param id Id.
 * @param kind Kind. Known values: answer, refusal.
 * @param llmGenerated Llm generated.
 * @param message Message.
 * @param model Model.
 * @param namedQuery Query over the graph, if it answered instead of passages.
 * @param question Question as it was searched for, completed from the history.
 * @param reason Reason of a refusal. Known values: no_evidence, out_of_scope, unchecked, model_unavailable.
 * @param sources Sources of the answer; for a refusal, the nearest passages.
 * @param text Sentences, each with its citations {@code [n]}; null for a refusal.
 * @param usage Usage.
 * @param warnings Warnings about degraded steps.
 */
public record AskAnswer(
    Double answerability,
    List<AnswerAttempt> attempts,
    List<AnswerCitation> citations,
    List<DroppedText> dropped,
    Boolean grounded,
    String id,
    String kind,
    Boolean llmGenerated,
    String message,
    String model,
    NamedAnswer namedQuery,
    String question,
    String reason,
    List<Source> sources,
    String text,
    ModelUsage usage,
    List<String> warnings) {}
