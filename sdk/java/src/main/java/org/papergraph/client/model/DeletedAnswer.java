// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A stored answer that was deleted.
 *
 * @param id Id of the answer.
 */
public record DeletedAnswer(
    String id) {}
