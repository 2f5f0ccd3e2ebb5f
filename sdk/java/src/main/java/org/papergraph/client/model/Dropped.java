// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Generated text that failed verification.
 *
 * @param detail Detail.
 * @param fault Fault. Known values: no_such_source, not_in_source, not_supported, no_citation, instruction, address.
 * @param text Text.
 */
public record Dropped(
    String detail,
    String fault,
    String text) {}
