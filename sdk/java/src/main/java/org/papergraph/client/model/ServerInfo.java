// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * What the server offers.
 *
 * @param embeddingModel Embedding model.
 * @param hasCypher True if the server accepts Cypher queries.
 * @param languageModel Model that writes answers; null if there is none.
 * @param reranker Cross-encoder for reranking; null if there is none.
 * @param signUp Whether nobody or whoever has an invitation may sign up. Known values: off, invite.
 * @param uploads Files that can be uploaded; null if none can.
 * @param version Version.
 */
public record ServerInfo(
    String embeddingModel,
    Boolean hasCypher,
    String languageModel,
    String reranker,
    String signUp,
    UploadRules uploads,
    String version) {}
