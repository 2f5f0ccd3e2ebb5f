// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Report of an Ising device; see docs/ising-device.md.
 *
 * @param attempts Number of calls of the device, 1 or 2.
 * @param corrected Declared convention that the device violates.
 * @param couplingBits Bits of a coupling on the device; null for floating point.
 * @param deviceMs Time reported by the device.
 * @param feasibleReads Number of states of the right size.
 * @param name Name of the device.
 * @param objectivePolished Objective of the best state after local search.
 * @param objectiveSampled Objective of the best state after repair.
 * @param penalty Weight of the constraint on the size of the selection.
 * @param quantisationBound Upper bound of the energy error.
 * @param quantisationError Largest rounding error of an energy.
 * @param reads Number of returned states.
 * @param spins Number of candidates, after certified fixing and the cut to what the device can hold.
 * @param wallMs Duration of the calls in milliseconds.
 */
public record DeviceReport(
    Integer attempts,
    String corrected,
    Integer couplingBits,
    Double deviceMs,
    Integer feasibleReads,
    String name,
    Double objectivePolished,
    Double objectiveSampled,
    Double penalty,
    Double quantisationBound,
    Double quantisationError,
    Integer reads,
    Integer spins,
    Double wallMs) {}
