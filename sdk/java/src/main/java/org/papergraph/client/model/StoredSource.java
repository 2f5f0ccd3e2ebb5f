// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Passage that a stored answer was written from; of a refusal, a nearest one.
 *
 * @param chunkId Id of the passage.
 * @param number Number of the source, [n] in the answer.
 * @param page First page of the passage, if known.
 * @param paperId Id of the paper.
 * @param paperTitle Title of the paper.
 * @param sectionPath Headings above the passage, outermost first.
 */
public record StoredSource(
    String chunkId,
    Integer number,
    Integer page,
    String paperId,
    String paperTitle,
    List<String> sectionPath) {}
