// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Certificate of a selection; see docs/selection.md.
 *
 * @param alpha Weight of relevance against redundancy, 0 to 1.
 * @param backend Backend that found the selection; exact after a fallback.
 * @param certifiedGain Certified fraction of the possible gain over the top k, 0 to 1.
 * @param device Device report, if a device answered.
 * @param fallback Reason of the fallback to the own solver, if any.
 * @param form Form of the objective. Known values: mean, pairs.
 * @param gap Objective minus lower bound, at least 0; 0 for the best selection.
 * @param k Number of selected passages; fewer than k if no more fit.
 * @param lowerBound Lower bound of the objective of any selection.
 * @param meanPairSimilarity Mean similarity of two selected passages; 0 for k = 1.
 * @param meanRelevance Mean relevance of the selected passages.
 * @param ms Duration of the selection in milliseconds.
 * @param objective Objective of the selection; lower is better.
 * @param proven True if no selection is better.
 * @param stage Stage of the solver at the proof or at the deadline. Known values: greedy, certificate, tabu, branch and bound.
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
