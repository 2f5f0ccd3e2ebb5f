// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A heading with the text up to the next one.
 *
 * @param collection Collection of the paper.
 * @param endPage Last page of its own text, if there are pages.
 * @param id Sha-256 hex of paper and place.
 * @param kind Front, abstract, body, references, acknowledgements or appendix.
 * @param level Depth in the section tree, from 1.
 * @param ordinal Position within the paper, from 0.
 * @param paperId Id of the paper.
 * @param parentId The section above it, if any.
 * @param path Headings above it and its own, outermost first.
 * @param startPage First page of its own text, from 1, if there are pages.
 * @param title Heading; empty for text before the first one.
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
