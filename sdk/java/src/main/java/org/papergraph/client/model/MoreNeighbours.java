// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Neighbours of a node by one type of relationship that are left out.
 *
 * @param n Number of neighbours.
 * @param type Type of the relationship. Known values: WROTE, CITES, HAS_SECTION, HAS_CHUNK, HAS_REFERENCE, CITES_REFERENCE, ANSWERED_BY, MENTIONS, RELATED_TO, SAME_AS, SIMILAR, IN_CLUSTER, PARENT_OF.
 */
public record MoreNeighbours(
    Integer n,
    String type) {}
