// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Similar chunk of another paper.
 *
 * @param chunk The other chunk.
 * @param score Cosine similarity.
 */
public record SimilarChunk(
    Chunk chunk,
    Double score) {}
