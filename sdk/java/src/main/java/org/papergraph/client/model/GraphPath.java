// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Path between two nodes: one more node than steps.
 *
 * @param nodes Nodes.
 * @param steps Steps.
 */
public record GraphPath(
    List<LabelledNode> nodes,
    List<PathStep> steps) {}
