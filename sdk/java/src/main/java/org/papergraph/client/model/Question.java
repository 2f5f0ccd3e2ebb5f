// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A question that a passage or a paper answers.
 *
 * @param answer Answer.
 * @param collection Collection.
 * @param generator Generator: model, template or extractive.
 * @param id Id.
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
    String id,
    String model,
    String original,
    String paperId,
    String review,
    String text) implements Node {}
