// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Chunk of the text of a section.
 *
 * @param collection Collection of the paper.
 * @param endChar Character after the last one in the source text.
 * @param endPage Last page, if there are pages.
 * @param id Sha-256 hex of section and place.
 * @param kind Table, equation, caption or parent; for running text, the kind of its section.
 * @param level Level in a hierarchy of chunks; 0 is the finest.
 * @param nTokens Length in tokens of the embedding model.
 * @param ordinal Position within the paper, from 0.
 * @param paperId Id of the paper.
 * @param sectionId Id of the section.
 * @param startChar First character in the source text, from 0.
 * @param startPage First page, from 1, if there are pages.
 * @param text Text of the chunk.
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
