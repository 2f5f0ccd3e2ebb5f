// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Votes for a pipeline.
 *
 * @param nBest Number of readers who find its hits the best, alone or with those of other pipelines.
 * @param pipeline Name of the pipeline.
 */
public record VotedPipeline(
    Integer nBest,
    String pipeline) {}
