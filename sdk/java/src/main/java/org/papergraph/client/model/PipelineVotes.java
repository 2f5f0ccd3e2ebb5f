// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Votes for pipelines that readers compared for a question.
 *
 * @param collection Collection that was searched.
 * @param mine Pipelines that the caller finds best; empty without a vote.
 * @param nReaders Number of readers who voted.
 * @param pipelines The compared pipelines, in order of name.
 * @param question The question.
 */
public record PipelineVotes(
    String collection,
    List<String> mine,
    Integer nReaders,
    List<VotedPipeline> pipelines,
    String question) {}
