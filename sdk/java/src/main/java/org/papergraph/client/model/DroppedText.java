// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Generated text that failed verification.
 *
 * @param detail Reason as text.
 * @param fault Reason, from a closed list. Known values: no_such_source, not_in_source, not_supported, no_citation, instruction, address.
 * @param text The dropped sentence or citation.
 */
public record DroppedText(
    String detail,
    String fault,
    String text) {}
