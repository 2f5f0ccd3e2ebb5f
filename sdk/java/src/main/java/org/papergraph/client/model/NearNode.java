// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Node of a neighbourhood.
 *
 * @param degree Number of relationships of any type.
 * @param label Type of the node, such as Paper.
 * @param more Neighbours that are left out, of a requested node.
 * @param name Title, name, or beginning of a text.
 * @param nodeId Id of the node.
 */
public record NearNode(
    Integer degree,
    String label,
    List<MoreNeighbours> more,
    String name,
    String nodeId) {}
