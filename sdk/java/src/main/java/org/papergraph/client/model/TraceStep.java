// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Trace of a step.
 *
 * @param candidatesIn Candidates in.
 * @param candidatesOut Candidates out.
 * @param cypher Cypher.
 * @param ms Ms.
 * @param notes Notes.
 * @param options Options.
 * @param step Step.
 */
public record TraceStep(
    Integer candidatesIn,
    Integer candidatesOut,
    List<CypherCall> cypher,
    Double ms,
    List<String> notes,
    JsonNode options,
    String step) {}
