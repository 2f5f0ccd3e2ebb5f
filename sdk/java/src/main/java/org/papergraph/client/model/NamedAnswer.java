// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * Rows of a named query over the graph, which answered a question instead of passages.
 *
 * @param columns Names of the columns.
 * @param parameters Values of the parameters by name.
 * @param query Name of the query.
 * @param rows Values of each row, in the order of the columns.
 */
public record NamedAnswer(
    List<String> columns,
    Map<String, JsonNode> parameters,
    String query,
    List<List<JsonNode>> rows) {}
