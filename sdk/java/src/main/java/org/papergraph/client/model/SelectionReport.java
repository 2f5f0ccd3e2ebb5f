// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Certificate of a selection; see docs/selection.md.
 *
 * @param alpha Alpha.
 * @param backend Backend.
 * @param certifiedGain Certified gain.
 * @param device Device report, if a device answered.
 * @param fallback Reason of the fallback, if any.
 * @param form Form. Known values: mean, pairs.
 * @param gap Gap.
 * @param k Number of selected passages; fewer than k if no more fit.
 * @param lowerBound Lower bound of the objective of any selection.
 * @param meanPairSimilarity Mean pair similarity.
 * @param meanRelevance Mean relevance.
 * @param ms Ms.
 * @param objective Objective.
 * @param proven Proven.
 * @param stage Stage.
 */
public record SelectionReport(
    Double alpha,
    String backend,
    Double certifiedGain,
    DeviceReport device,
    String fallback,
    String form,
    Double gap,
    Integer k,
    Double lowerBound,
    Double meanPairSimilarity,
    Double meanRelevance,
    Double ms,
    Double objective,
    Boolean proven,
    String stage) {}
