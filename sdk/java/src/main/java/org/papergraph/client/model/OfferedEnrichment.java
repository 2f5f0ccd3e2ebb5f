// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Enrichment that papers can be given.
 *
 * @param about What it makes, in a sentence.
 * @param missing What keeps it from being made here, each with the next step; empty if it can be made.
 * @param name Name, for jobs and options.
 * @param needs What it cannot be made without, such as a language model.
 * @param uses What it makes more with: a language model, or other enrichments.
 */
public record OfferedEnrichment(
    String about,
    List<String> missing,
    String name,
    List<String> needs,
    List<String> uses) {}
