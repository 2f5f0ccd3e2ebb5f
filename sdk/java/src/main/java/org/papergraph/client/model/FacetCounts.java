// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Values of papers in one respect, the most frequent first.
 *
 * @param facet What is counted. Known values: year, category, language, author, format, entity, cluster.
 * @param values The values with their numbers.
 */
public record FacetCounts(
    String facet,
    List<FacetValue> values) {}
