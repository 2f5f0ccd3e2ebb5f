// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Places of papers in two dimensions, as columns of equal length, in the order of ids.
 *
 * @param ids Ids of the papers.
 * @param method Method that gave the places; null without points. Known values: umap, pca.
 * @param nPapers Papers of the collection.
 * @param nUnplaced Papers without a place until the enrichment {@code map} runs again.
 * @param titles Titles, at most 200 characters each.
 * @param topicNumbers Number of the finest topic of each paper in the list of topics, from 0.
 * @param topics Topics with points, the coarsest and largest first.
 * @param truncated True if the collection has more papers than were asked for.
 * @param x Coordinates from left to right, -1 to 1.
 * @param y Coordinates from bottom to top, -1 to 1.
 * @param years Years of publication, where known.
 */
public record PaperMap(
    List<String> ids,
    String method,
    Integer nPapers,
    Integer nUnplaced,
    List<String> titles,
    List<Integer> topicNumbers,
    List<MapTopic> topics,
    Boolean truncated,
    List<Double> x,
    List<Double> y,
    List<Integer> years) {}
