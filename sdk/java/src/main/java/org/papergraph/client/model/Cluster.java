// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Cluster of papers or passages.
 *
 * @param collection Collection.
 * @param field Field.
 * @param id Id.
 * @param keywords Keywords.
 * @param kind Metadata (papers with one value), topic (similar chunks) or community (linked papers).
 * @param level Level in the hierarchy; 0 is the finest.
 * @param nMembers N members.
 * @param name Name.
 * @param value Value.
 */
public record Cluster(
    String collection,
    String field,
    String id,
    List<String> keywords,
    String kind,
    Integer level,
    Integer nMembers,
    String name,
    String value) implements Node {}
