// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A question that a passage or a paper answers.
 *
 * @param answer Answer, if generated.
 * @param collection Collection of the answering paper.
 * @param generator Generator: model, written, template or extractive.
 * @param groupId Id that questions across the same papers share; null for a question of one paper.
 * @param id Sha-256 hex of collection, paper and text.
 * @param metadata Metadata that it was made from, each as field: value.
 * @param model Name of the language model, if used.
 * @param original Original text, if edited.
 * @param paperId Id of the answering paper.
 * @param review Review: accepted, edited or null.
 * @param text The question.
 */
public record Question(
    String answer,
    String collection,
    String generator,
    String groupId,
    String id,
    List<String> metadata,
    String model,
    String original,
    String paperId,
    String review,
    String text) implements Node {}
