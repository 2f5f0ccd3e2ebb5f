// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Explanation of the rank of a hit.
 *
 * @param mergedChunkIds Chunks that were merged into this one.
 * @param rankHistory Rank after each ordering step.
 * @param retrievers Scores of the retrievers that found the hit.
 * @param via Graph path from the query to this passage, if any.
 * @param whyNotHigher Reasons for the rank below the previous hit; empty for the first.
 */
public record Explanation(
    List<String> mergedChunkIds,
    List<StepPlace> rankHistory,
    List<RetrieverScore> retrievers,
    List<Via> via,
    String whyNotHigher) {}
