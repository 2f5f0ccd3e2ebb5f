// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Rank of a hit after a step; both count from 1.
 *
 * @param rank Rank.
 * @param step Step.
 */
public record StepPlace(
    Integer rank,
    Integer step) {}
