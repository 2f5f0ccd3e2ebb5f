// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Two entities after a decision.
 *
 * @param entityId Id of the first.
 * @param name Name of the first.
 * @param otherId Id of the second.
 * @param otherName Name of the second.
 * @param same Whether both are the same thing.
 */
public record DecidedEntities(
    String entityId,
    String name,
    String otherId,
    String otherName,
    Boolean same) {}
