// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/**
 * A node of the graph, with what it is.
 *
 * @param label Label. Known values: Paper, Section, Chunk, Author, Reference, Question, Entity, Cluster.
 * @param node Node.
 */
@JsonDeserialize(using = NodeReader.class)
public record LabelledNode(
    String label,
    Node node) {}
