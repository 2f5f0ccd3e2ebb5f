// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * What an ingestion would take.
 *
 * @param chunks Their chunks.
 * @param collection Where the papers would go.
 * @param cost What is paid for the tokens at the price that is set; a local model costs nothing.
 * @param embeddingSeconds Time for embedding.
 * @param nDocuments Documents that were found.
 * @param nRefused How many are known to be refused: what was found is no document, or what was parsed here cannot be.
 * @param nSampled How many were parsed here; {@code papers} and all below are counted if that is all, else reckoned.
 * @param nUnchanged How many stand in the graph: nothing is done about them.
 * @param papers Papers that would be written.
 * @param preparingSeconds Time for reading, parsing and cutting, in one process, or None where nothing could be measured.
 * @param texts Texts that would be embedded: calls of the embedding model, in batches of its own.
 * @param tokens Tokens of these.
 */
public record IngestionEstimate(
    EstimatedNumber chunks,
    String collection,
    Double cost,
    Double embeddingSeconds,
    Integer nDocuments,
    Integer nRefused,
    Integer nSampled,
    Integer nUnchanged,
    EstimatedNumber papers,
    Double preparingSeconds,
    EstimatedNumber texts,
    EstimatedNumber tokens) {}
