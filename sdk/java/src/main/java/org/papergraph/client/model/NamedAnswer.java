// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * Rows of a named query over the graph.
 *
 * @param columns Columns.
 * @param parameters Parameters.
 * @param query Name of the query.
 * @param rows Rows.
 */
public record NamedAnswer(
    List<String> columns,
    Map<String, JsonNode> parameters,
    String query,
    List<List<JsonNode>> rows) {}
