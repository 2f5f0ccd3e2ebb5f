// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Exported papers: a bibliography, or a Markdown file per paper.
 *
 * @param files The files.
 * @param format The format: md, bibtex, csl-json or ris.
 * @param nPapers Number of papers.
 */
public record PaperExport(
    List<ExportedFile> files,
    String format,
    Integer nPapers) {}
