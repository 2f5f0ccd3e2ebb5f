// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Report of an Ising device; see docs/ising-device.md.
 *
 * @param attempts Attempts.
 * @param corrected Declared convention that the device violates.
 * @param couplingBits Coupling bits.
 * @param deviceMs Time reported by the device.
 * @param feasibleReads States with exactly as many ones as were to be chosen.
 * @param name Name of the device.
 * @param objectivePolished Objective of the best state after local search.
 * @param objectiveSampled Objective of the best state after repair.
 * @param penalty Penalty.
 * @param quantisationBound Upper bound of the energy error.
 * @param quantisationError Largest rounding error of an energy.
 * @param reads Reads.
 * @param spins Number of candidates.
 * @param wallMs Wall ms.
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
