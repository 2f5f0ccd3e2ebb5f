// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A paper whose fields were edited.
 *
 * @param fields The fields that the request named, as they are now; one that nobody states is missing.
 * @param paperId Id of the paper; a new one if a DOI or arXiv id makes it another paper of the graph.
 */
public record EditedPaper(
    List<PaperField> fields,
    String paperId) {}
