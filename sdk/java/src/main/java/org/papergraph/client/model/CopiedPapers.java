// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Papers copied to another collection.
 *
 * @param collection Collection of the copies.
 * @param nCopied Number of papers that were copied.
 * @param papers The papers, in the order of the request, each once.
 */
public record CopiedPapers(
    String collection,
    Integer nCopied,
    List<CopiedPaper> papers) {}
