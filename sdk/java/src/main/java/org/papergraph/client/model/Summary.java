// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Meta Knowledge Summary: what the papers of a cluster, or those with some metadata, are about as a group.
 *
 * @param about The cluster or the metadata in words.
 * @param clusterIds Ids of the clusters of the papers.
 * @param collection Collection of the papers.
 * @param generator Generator of the text. Known values: model, extractive.
 * @param id Sha-256 hex of the cluster or the metadata, the same for every text.
 * @param keywords Distinctive terms of the papers, strongest first.
 * @param model Name of the language model, if one wrote it.
 * @param nPapers Number of papers.
 * @param nQuestions Number of their questions that were read.
 * @param text The summary; without a language model, central sentences of the abstracts.
 * @param wasStored True if the summary was stored before this request.
 */
public record Summary(
    String about,
    List<String> clusterIds,
    String collection,
    String generator,
    String id,
    List<String> keywords,
    String model,
    Integer nPapers,
    Integer nQuestions,
    String text,
    Boolean wasStored) {}
