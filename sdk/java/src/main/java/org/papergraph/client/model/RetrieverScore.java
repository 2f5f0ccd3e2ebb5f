// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Score of one retriever for a hit.
 *
 * @param query Index of the query; 0 is the original.
 * @param rank Rank in the list of this retriever, from 1.
 * @param retriever The retriever. Known values: vector, fulltext, question, prototype, name, entity, cluster, citation, pagerank.
 * @param score The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 of FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability.
 * @param via Path from the query to the hit.
 */
public record RetrieverScore(
    Integer query,
    Integer rank,
    String retriever,
    Double score,
    List<Via> via) {}
