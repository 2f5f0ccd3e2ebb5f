// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Question with the papers that readers judged for it.
 *
 * @param collection Collection of the papers.
 * @param papers The judged papers that are in the collection, in order of id.
 * @param question The question.
 */
public record JudgedQuestion(
    String collection,
    List<JudgedPaper> papers,
    String question) {}
