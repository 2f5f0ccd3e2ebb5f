// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Value that papers have, with their number.
 *
 * @param n Number of papers.
 * @param nodeId Id of an author, entity or cluster.
 * @param value Year, category, format, or name of a node.
 */
public record FacetValue(
    Integer n,
    String nodeId,
    String value) {}
