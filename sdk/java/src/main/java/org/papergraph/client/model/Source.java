// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Passage as the reader receives it.
 *
 * @param hit Hit.
 * @param instructions Number of removed sentences that give instructions.
 * @param number Number of the source, {@code [n]} in the answer.
 * @param text Text without invisible characters and instructions.
 */
public record Source(
    Hit hit,
    Integer instructions,
    Integer number,
    String text) {}
