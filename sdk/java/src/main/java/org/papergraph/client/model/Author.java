// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Author of papers of a collection.
 *
 * @param collection Collection of the papers.
 * @param id Sha-256 hex of collection and key.
 * @param name Name as the papers print it.
 */
public record Author(
    String collection,
    String id,
    String name) implements Node {}
