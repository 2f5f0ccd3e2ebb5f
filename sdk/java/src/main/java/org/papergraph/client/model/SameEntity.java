// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Same entity under another name.
 *
 * @param entity The other entity.
 * @param evidence Evidence: name, abbreviation, vector or review.
 * @param score Confidence, 0 to 1.
 */
public record SameEntity(
    Entity entity,
    String evidence,
    Double score) {}
