// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Score of one retriever for a hit.
 *
 * @param query Index of the query; 0 is the original.
 * @param rank Rank in the list of this retriever, from 1.
 * @param retriever Retriever. Known values: vector, fulltext, question, prototype, name, entity, cluster, citation, pagerank.
 * @param score The retriever's own.
 * @param via Path from the query to the hit.
 */
public record RetrieverScore(
    Integer query,
    Integer rank,
    String retriever,
    Double score,
    List<SharedNode> via) {}
