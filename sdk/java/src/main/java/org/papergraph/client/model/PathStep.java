// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Step of a path.
 *
 * @param direction OUTGOING if the relationship points along the path. Known values: outgoing, incoming.
 * @param type Type of the relationship, as the graph names it.
 */
public record PathStep(
    String direction,
    String type) {}
