// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A file of an export.
 *
 * @param name Name to save it by.
 * @param text Its text.
 */
public record ExportedFile(
    String name,
    String text) {}
