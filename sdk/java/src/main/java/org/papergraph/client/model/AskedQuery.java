// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Executed query.
 *
 * @param origin Origin: query, rewrite, parts, feedback, ….
 * @param text Text of the query.
 */
public record AskedQuery(
    String origin,
    String text) {}
