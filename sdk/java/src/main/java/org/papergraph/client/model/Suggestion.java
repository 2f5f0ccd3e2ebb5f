// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Node whose name has the typed words; offsets count characters (code points) from 0.
 *
 * @param end Character after the last one of the typed words.
 * @param label Type of the node. Known values: Paper, Author, Entity, Cluster.
 * @param nodeId Id of the node.
 * @param start First character of the typed words in the text.
 * @param text Title or name.
 */
public record Suggestion(
    Integer end,
    String label,
    String nodeId,
    Integer start,
    String text) {}
