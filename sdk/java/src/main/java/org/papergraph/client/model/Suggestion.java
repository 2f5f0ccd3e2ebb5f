// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Node whose name has the typed words; offsets count characters (code points) from 0.
 *
 * @param end Character after the last one of the typed words.
 * @param label Label. Known values: Paper, Author, Entity, Cluster.
 * @param nodeId Node id.
 * @param start First character of the typed words in the text.
 * @param text Title or name.
 */
public record Suggestion(
    Integer end,
    String label,
    String nodeId,
    Integer start,
    String text) {}
