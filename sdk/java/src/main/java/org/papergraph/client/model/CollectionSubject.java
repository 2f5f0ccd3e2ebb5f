// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Subject of the papers of a collection.
 *
 * @param collection Collection.
 * @param subject Subject.
 */
public record CollectionSubject(
    String collection,
    String subject) {}
