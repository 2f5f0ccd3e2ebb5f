// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/**
 * Result of a Cypher query.
 *
 * @param asOf Creation time of the snapshot, if a snapshot is queried.
 * @param columns Columns.
 * @param ms Duration of the query in milliseconds.
 * @param nRows N rows.
 * @param problem Error after the first rows were sent, if any.
 * @param rows Rows.
 * @param truncated Limit that cut the rows: rows, bytes, or null if complete. Known values: rows, bytes.
 */
public record CypherRows(
    OffsetDateTime asOf,
    List<String> columns,
    Double ms,
    Integer nRows,
    Map<String, JsonNode> problem,
    List<List<JsonNode>> rows,
    String truncated) {}
