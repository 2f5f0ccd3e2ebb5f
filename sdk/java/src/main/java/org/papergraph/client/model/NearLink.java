// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Relationship between two nodes of a neighbourhood.
 *
 * @param fromId Id of the node where it begins.
 * @param toId Id of the node where it ends.
 * @param type Type of the relationship. Known values: WROTE, CITES, HAS_SECTION, HAS_CHUNK, HAS_REFERENCE, CITES_REFERENCE, ANSWERED_BY, MENTIONS, RELATED_TO, SAME_AS, SIMILAR, IN_CLUSTER, PARENT_OF.
 * @param weight Similarity, 0 to 1, if the relationship has one.
 */
public record NearLink(
    String fromId,
    String toId,
    String type,
    Double weight) {}
