// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A number that was counted, or estimated from a sample.
 *
 * @param high In 95 of 100 samples it is at most this; {@code value} where it was counted.
 * @param low In 95 of 100 samples it is at least this; {@code value} where it was counted.
 * @param value The number.
 */
public record EstimatedNumber(
    Integer high,
    Integer low,
    Integer value) {}
