// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A statement that was run.
 *
 * @param file File below cypher/, without .cypher.
 * @param ms Ms.
 * @param parameters Vectors and long lists are shown as their length.
 * @param records Records.
 */
public record CypherCall(
    String file,
    Double ms,
    JsonNode parameters,
    Integer records) {}
