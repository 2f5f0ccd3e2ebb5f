// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Decisions about an author that were taken back.
 *
 * @param authorId Id that the author had.
 * @param nUndone Number of decisions.
 */
public record UndoneDecisions(
    String authorId,
    Integer nUndone) {}
