// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * A paper in the collection that it was copied to.
 *
 * @param copied False if the other collection had the paper already; it is left as it was.
 * @param copyId Id of the paper in the other collection.
 * @param key Key of the paper.
 * @param paperId Id of the paper.
 */
public record CopiedPaper(
    Boolean copied,
    String copyId,
    String key,
    String paperId) {}
