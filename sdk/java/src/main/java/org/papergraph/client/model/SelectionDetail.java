// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Details of a selected passage.
 *
 * @param marginal Loss of the objective without this passage; negative if one passage fewer would be better.
 * @param nearest Most similar selected chunk; null for a single one.
 * @param nearestSimilarity Similarity to that chunk.
 * @param rankBefore Rank before the selection, from 1.
 * @param redundancy Mean similarity to the other selected passages; 0 for a single one.
 */
public record SelectionDetail(
    Double marginal,
    String nearest,
    Double nearestSimilarity,
    Integer rankBefore,
    Double redundancy) {}
