// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Nodes, the requested ones first, and relationships between them.
 *
 * @param links The relationships.
 * @param nodes The nodes.
 * @param truncated True if neighbours are left out.
 */
public record Neighbourhood(
    List<NearLink> links,
    List<NearNode> nodes,
    Boolean truncated) {}
