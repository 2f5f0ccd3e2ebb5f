// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A heading with the text up to the next one.
 *
 * @param collection Collection.
 * @param endPage End page.
 * @param id Id.
 * @param kind Front, abstract, body, references, acknowledgements or appendix.
 * @param level Depth in the section tree, from 1.
 * @param ordinal Position within the paper, from 0.
 * @param paperId Paper id.
 * @param parentId The section above it, if any.
 * @param path Headings above it and its own, outermost first.
 * @param startPage Start page.
 * @param title Title.
 */
public record Section(
    String collection,
    Integer endPage,
    String id,
    String kind,
    Integer level,
    Integer ordinal,
    String paperId,
    String parentId,
    List<String> path,
    Integer startPage,
    String title) implements Node {}
