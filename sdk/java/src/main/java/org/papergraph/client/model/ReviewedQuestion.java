// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Effect of a decision.
 *
 * @param decision The decision. Known values: accepted, edited, rejected.
 * @param ids Ids of the question in the collection, or of the deleted ones.
 * @param original Original text of the question.
 * @param text Edited text, if any.
 */
public record ReviewedQuestion(
    String decision,
    List<String> ids,
    String original,
    String text) {}
