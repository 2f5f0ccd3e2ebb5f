// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Named, reproducible list of retrieval steps.
 *
 * @param about About.
 * @param missing What keeps it from running, each with the next step; empty if it can run.
 * @param name Name.
 * @param needs Requirements: language model, reranker, enrichments.
 * @param reader Input of the language model for an answer. Known values: passages, questions, pages.
 * @param source Origin of the method.
 * @param steps Steps in order, with all options.
 */
public record Pipeline(
    String about,
    List<String> missing,
    String name,
    List<String> needs,
    String reader,
    String source,
    List<JsonNode> steps) {}
