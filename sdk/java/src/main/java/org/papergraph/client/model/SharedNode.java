// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Node on a path of the graph, or a node that two papers share.
 *
 * @param label Label.
 * @param name Name.
 * @param nodeId Node id.
 */
public record SharedNode(
    String label,
    String name,
    String nodeId) {}
