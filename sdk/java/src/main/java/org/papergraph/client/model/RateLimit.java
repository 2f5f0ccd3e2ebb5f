// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * What is left of a limit per minute.
 *
 * @param left Amount that is left.
 * @param limit Amount per minute.
 * @param name Name. Known values: requests, cost.
 * @param resetsInS Seconds until the whole amount is there again.
 */
public record RateLimit(
    Integer left,
    Integer limit,
    String name,
    Integer resetsInS) {}
