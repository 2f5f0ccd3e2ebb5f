// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Judgements of a paper for a question.
 *
 * @param mine Judgement of the caller; true for relevant, null for none.
 * @param nIrrelevant Number of readers who find it irrelevant.
 * @param nRelevant Number of readers who find it relevant.
 * @param paperId Id of the paper.
 */
public record JudgedPaper(
    Boolean mine,
    Integer nIrrelevant,
    Integer nRelevant,
    String paperId) {}
