// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A collection that was deleted, or as much of it as fits into a request.
 *
 * @param nDeleted Number of deleted papers.
 * @param nLeft Number of papers that are left; repeat the request until it is 0.
 * @param name Name that the collection had.
 */
public record DeletedCollection(
    Integer nDeleted,
    Integer nLeft,
    String name) {}
