// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Marked part of a passage; offsets count characters (code points) from 0.
 *
 * @param end Character after the last one.
 * @param kind A word of the query, or the sentence of the passage that says most of the query. Known values: term, best_sentence.
 * @param start First character.
 */
public record Highlight(
    Integer end,
    String kind,
    Integer start) {}
