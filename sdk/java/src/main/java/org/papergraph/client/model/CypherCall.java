// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Cypher query that was run.
 *
 * @param file File below cypher/, without .cypher.
 * @param ms Duration with all attempts, in milliseconds.
 * @param parameters Parameters; vectors and long lists as their length.
 * @param records Number of returned records.
 */
public record CypherCall(
    String file,
    Double ms,
    Map<String, JsonNode> parameters,
    Integer records) {}
