// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Relationship between two nodes of a neighbourhood.
 *
 * @param fromId From id.
 * @param toId To id.
 * @param type Type. Known values: WROTE, CITES, HAS_SECTION, HAS_CHUNK, HAS_REFERENCE, CITES_REFERENCE, ANSWERED_BY, MENTIONS, RELATED_TO, SAME_AS, SIMILAR, IN_CLUSTER, PARENT_OF.
 * @param weight Similarity, 0 to 1, if the relationship has one.
 */
public record NearLink(
    String fromId,
    String toId,
    String type,
    Double weight) {}
