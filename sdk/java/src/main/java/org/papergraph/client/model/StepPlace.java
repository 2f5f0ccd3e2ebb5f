// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Rank of a hit after a step.
 *
 * @param rank Rank after the step, from 1.
 * @param step Number of the step, from 1.
 */
public record StepPlace(
    Integer rank,
    Integer step) {}
