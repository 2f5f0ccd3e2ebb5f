// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Applied filter.
 *
 * @param filter Summary of the filter.
 * @param matchSummary Numbers of passing papers and chunks, and passing kinds.
 * @param unknown Values without a match in the collections, such as "authors 'Ada Lovelace'"; they let nothing pass. For years, the number of papers without one.
 */
public record AppliedFilter(
    String filter,
    String matchSummary,
    List<String> unknown) {}
