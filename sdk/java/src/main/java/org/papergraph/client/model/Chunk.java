// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Chunk of the text of a section.
 *
 * @param collection Collection.
 * @param endChar Character after the last one in the source text.
 * @param endPage End page.
 * @param id Id.
 * @param kind Table, equation, caption or parent; for running text, the kind of its section.
 * @param level Level in a hierarchy of chunks; 0 is the finest.
 * @param nTokens Length in tokens of the embedding model.
 * @param ordinal Position within the paper, from 0.
 * @param paperId Paper id.
 * @param sectionId Section id.
 * @param startChar First character in the source text, from 0.
 * @param startPage Start page.
 * @param text Text.
 */
public record Chunk(
    String collection,
    Integer endChar,
    Integer endPage,
    String id,
    String kind,
    Integer level,
    Integer nTokens,
    Integer ordinal,
    String paperId,
    String sectionId,
    Integer startChar,
    Integer startPage,
    String text) implements Node {}
