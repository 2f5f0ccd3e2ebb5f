// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Hits of a search, best first, with the trace of their retrieval.
 *
 * @param draft Draft answer for the reranker, if any.
 * @param filter Filter.
 * @param hits Hits.
 * @param pipeline Pipeline.
 * @param queries Executed queries: the original and derived ones.
 * @param run Saved run for {@code papergraph pipelines replay}.
 * @param selection Certificate, if passages were selected.
 * @param trace Trace.
 * @param warnings What the search did otherwise than the pipeline says, such as on other chunks.
 */
public record SearchAnswer(
    String draft,
    AppliedFilter filter,
    List<Hit> hits,
    String pipeline,
    List<AskedQuery> queries,
    JsonNode run,
    SelectionReport selection,
    List<TraceStep> trace,
    List<String> warnings) {}
