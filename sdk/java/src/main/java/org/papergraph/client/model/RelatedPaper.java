// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Related paper.
 *
 * @param paper Paper.
 * @param score Higher is nearer; comparable within one kind of relation only.
 * @param shared Up to five shared nodes, rarest first.
 */
public record RelatedPaper(
    Paper paper,
    Double score,
    List<Via> shared) {}
