// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Language model usage of all calls for a question.
 *
 * @param cached Cached.
 * @param cost Cost in the currency of the configured prices.
 * @param estimatedTokens Estimated tokens.
 * @param inputTokens Input tokens.
 * @param outputTokens Output tokens.
 * @param requests Requests.
 */
public record Usage(
    Integer cached,
    Double cost,
    Integer estimatedTokens,
    Integer inputTokens,
    Integer outputTokens,
    Integer requests) {}
