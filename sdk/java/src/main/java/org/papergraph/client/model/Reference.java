// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * An entry of a paper's list of references.
 *
 * @param arxivId Arxiv id.
 * @param authors Authors.
 * @param collection Collection.
 * @param doi Doi.
 * @param id Id.
 * @param label Label in the text of the paper.
 * @param ordinal Position in the list, from 0.
 * @param paperId Paper id.
 * @param text Text.
 * @param title Title.
 * @param year Year.
 */
public record Reference(
    String arxivId,
    List<String> authors,
    String collection,
    String doi,
    String id,
    String label,
    Integer ordinal,
    String paperId,
    String text,
    String title,
    Integer year) implements Node {}
