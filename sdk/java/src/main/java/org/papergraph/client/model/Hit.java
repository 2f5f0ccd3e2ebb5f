// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Passage found for a query, with its context.
 *
 * @param chunk Chunk.
 * @param explanation Explanation.
 * @param highlights Words of the query in the passage, and its best sentence, if {@code highlights} are included.
 * @param next Next.
 * @param outsideFilter True if the hit is outside the filter and only fills the list.
 * @param paper Paper.
 * @param passage Text for the reader: the passage, compressed or expanded.
 * @param previous Previous chunk in the paper, if {@code neighbours} are included.
 * @param rank From 1, best first.
 * @param score Score of the last scoring step; comparable within this query only.
 * @param section Section.
 * @param selection Selection details, if passages were selected.
 */
public record Hit(
    Chunk chunk,
    Explanation explanation,
    List<Highlight> highlights,
    Chunk next,
    Boolean outsideFilter,
    Paper paper,
    String passage,
    Chunk previous,
    Integer rank,
    Double score,
    Section section,
    SelectionDetail selection) {}
