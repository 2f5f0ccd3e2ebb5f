// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * New API key with its text, which is shown once.
 *
 * @param key Key.
 * @param text The key as requests send it.
 */
public record CreatedKey(
    ApiKey key,
    String text) {}
