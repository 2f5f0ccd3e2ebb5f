// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Node on the path from the query to a passage, or that two papers share.
 *
 * @param label Question, Entity, Cluster, Paper or Chunk.
 * @param name Text of a question, name of an entity, title of a paper.
 * @param nodeId Id of the node.
 */
public record Via(
    String label,
    String name,
    String nodeId) {}
