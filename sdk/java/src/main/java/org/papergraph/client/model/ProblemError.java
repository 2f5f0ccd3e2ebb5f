// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Error in a field of a request.
 *
 * @param field Field.
 * @param message Message.
 * @param reason Reason of a refused upload, from a closed list.
 */
public record ProblemError(
    String field,
    String message,
    String reason) {}
