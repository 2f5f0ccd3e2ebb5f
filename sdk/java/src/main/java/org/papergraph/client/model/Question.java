// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A question that a passage or a paper answers.
 *
 * @param answer Answer.
 * @param collection Collection.
 * @param generator Generator: model, template or extractive.
 * @param groupId Id that questions across the same papers share; null for a question of one paper.
 * @param id Id.
 * @param metadata Metadata that the question was made from, each as field: value.
 * @param model Model.
 * @param original Original text, if edited.
 * @param paperId Paper id.
 * @param review Review: accepted, edited or null.
 * @param text Text.
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
