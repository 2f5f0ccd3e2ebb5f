// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Quote that occurs verbatim in a chunk.
 *
 * @param answerEnd Character after [number] in the text of the answer.
 * @param answerStart Start of [number] in the text of the answer.
 * @param chunkId Id of the chunk.
 * @param claimEnd Character after the cited sentence.
 * @param claimStart Start of the cited sentence.
 * @param end Character after the quote in the text of the chunk.
 * @param file Name of the file that the paper was read from.
 * @param number Number of the source; [number] marks it in the answer.
 * @param page Page of the quote, from 1, if there are pages.
 * @param paperId Id of the paper.
 * @param paperTitle Title of the paper.
 * @param quote The words of the chunk.
 * @param sectionPath Headings above the quote, outermost first.
 * @param start Start of the quote in the text of the chunk, in characters.
 * @param url Address of the paper, if known.
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
