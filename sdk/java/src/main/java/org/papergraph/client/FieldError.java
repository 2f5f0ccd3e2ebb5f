package org.papergraph.client;

/**
 * Error in a field of a request.
 *
 * @param field name of the field, as sent
 * @param message description of the error
 * @param reason reason of a refused upload, such as TOO_LARGE
 */
public record FieldError(String field, String message, String reason) {}
