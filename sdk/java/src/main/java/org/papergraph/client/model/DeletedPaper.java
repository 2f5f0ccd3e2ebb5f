// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A paper that was deleted.
 *
 * @param keys Keys of the deleted paper.
 * @param paperId Id that the paper had.
 */
public record DeletedPaper(
    List<String> keys,
    String paperId) {}
