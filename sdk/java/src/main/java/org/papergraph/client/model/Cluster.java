// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Cluster of papers or passages.
 *
 * @param collection Collection of the papers.
 * @param field Metadata field, such as task.
 * @param id Sha-256 hex of collection, kind and members.
 * @param keywords Distinctive terms, strongest first.
 * @param kind Metadata (papers with one value), topic (similar chunks) or community (linked papers).
 * @param level Level in the hierarchy; 0 is the finest.
 * @param nMembers Number of papers or chunks, including those of subclusters.
 * @param name Metadata value, or distinctive terms.
 * @param value Metadata value.
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
