// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Files that can be uploaded.
 *
 * @param endings Endings of the names of files, such as .pdf.
 * @param maxBytes Largest file.
 */
public record UploadRules(
    List<String> endings,
    Integer maxBytes) {}
