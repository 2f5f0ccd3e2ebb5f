// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * An entry of a paper's list of references.
 *
 * @param arxivId ArXiv id of the cited work, if recognized.
 * @param authors Authors of the cited work, as printed.
 * @param collection Collection of the citing paper.
 * @param doi DOI of the cited work, if recognized.
 * @param id Sha-256 hex of paper and place.
 * @param label Label in the text of the paper.
 * @param ordinal Position in the list, from 0.
 * @param paperId Id of the citing paper.
 * @param text Printed text of the entry.
 * @param title Title of the cited work, if recognized.
 * @param year Year of the cited work, if recognized.
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
