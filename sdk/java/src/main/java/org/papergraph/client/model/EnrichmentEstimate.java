// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * What making enrichments would take; of requests, tokens and cost the most that it can come to.
 *
 * @param collection Whose papers.
 * @param cost What is paid for them at the prices that are set.
 * @param enrichments Names of the enrichments.
 * @param nChunks Chunks of the papers that lack one.
 * @param nDue Papers that lack one of the enrichments.
 * @param nPapers Papers of the collection.
 * @param nRead How many of these were looked at; the others are taken to be like them.
 * @param nRequests Requests to the language model, those for what is kept in the cache included.
 * @param nTokens Tokens of their input and output together.
 * @param spanning Enrichments over the whole collection that would be made again.
 */
public record EnrichmentEstimate(
    String collection,
    Double cost,
    List<String> enrichments,
    Integer nChunks,
    Integer nDue,
    Integer nPapers,
    Integer nRead,
    Integer nRequests,
    Integer nTokens,
    List<String> spanning) {}
