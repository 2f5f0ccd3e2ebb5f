// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Quote that occurs verbatim in a chunk.
 *
 * @param answerEnd Answer end.
 * @param answerStart Start of {@code [number]} in the text of the answer.
 * @param chunkId Chunk id.
 * @param claimEnd Claim end.
 * @param claimStart Start of the cited sentence.
 * @param end End.
 * @param file Name of the file that the paper was read from.
 * @param number Number.
 * @param page Page.
 * @param paperId Paper id.
 * @param paperTitle Paper title.
 * @param quote Quote.
 * @param sectionPath Section path.
 * @param start Start of the quote in the text of the chunk, in characters.
 * @param url Url.
 */
public record AnswerCitation(
    Integer answerEnd,
    Integer answerStart,
    String chunkId,
    Integer claimEnd,
    Integer claimStart,
    Integer end,
    String file,
    Integer number,
    Integer page,
    String paperId,
    String paperTitle,
    String quote,
    List<String> sectionPath,
    Integer start,
    String url) {}
