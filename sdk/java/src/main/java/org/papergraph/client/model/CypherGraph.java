// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * Distinct nodes and relationships in the rows.
 *
 * @param asOf As of.
 * @param ms Ms.
 * @param nRows N rows.
 * @param nodes Nodes.
 * @param relationships Relationships.
 * @param truncated Truncated. Known values: rows, bytes.
 */
public record CypherGraph(
    OffsetDateTime asOf,
    Double ms,
    Integer nRows,
    List<GraphNode> nodes,
    List<GraphRelationship> relationships,
    String truncated) {}
