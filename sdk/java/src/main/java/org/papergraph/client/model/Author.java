// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Author of papers of a collection.
 *
 * @param collection Collection.
 * @param id Id.
 * @param name Name.
 */
public record Author(
    String collection,
    String id,
    String name) implements Node {}
