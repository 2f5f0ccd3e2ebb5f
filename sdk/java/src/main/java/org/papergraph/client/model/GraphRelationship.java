// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * A relationship, as Neo4j has it.
 *
 * @param end End.
 * @param id Id.
 * @param properties Properties.
 * @param start Start.
 * @param type Type.
 */
public record GraphRelationship(
    String end,
    String id,
    Map<String, JsonNode> properties,
    String start,
    String type) {}
