// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A node, as Neo4j has it.
 *
 * @param id Id.
 * @param labels Labels.
 * @param properties Properties.
 */
public record GraphNode(
    String id,
    List<String> labels,
    Map<String, JsonNode> properties) {}
