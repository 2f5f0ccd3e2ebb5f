// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * Trace of a step.
 *
 * @param candidatesIn Number of candidates before the step; before fusion, chunks in all rankings.
 * @param candidatesOut Number of candidates after the step.
 * @param cypher Cypher queries of the step.
 * @param ms Duration in milliseconds.
 * @param notes Remarks of the step, such as a fallback.
 * @param options Options of the step by name.
 * @param step Name of the step.
 */
public record TraceStep(
    Integer candidatesIn,
    Integer candidatesOut,
    List<CypherCall> cypher,
    Double ms,
    List<String> notes,
    Map<String, JsonNode> options,
    String step) {}
