// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Language model usage of some calls, such as all for a question; usages add up.
 *
 * @param cached Calls answered from the cache, at no cost.
 * @param cost Cost in the currency of the configured prices.
 * @param estimatedTokens Number of estimated tokens, where a server told nothing or the connection broke.
 * @param inputTokens Tokens sent to the model.
 * @param outputTokens Tokens that the model wrote.
 * @param requests Number of calls of the model, with those that failed.
 */
public record ModelUsage(
    Integer cached,
    Double cost,
    Integer estimatedTokens,
    Integer inputTokens,
    Integer outputTokens,
    Integer requests) {}
