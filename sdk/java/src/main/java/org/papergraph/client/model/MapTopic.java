// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * Topic of a map.
 *
 * @param above Number of the topic above it in the list, from 0.
 * @param level Level in the hierarchy, 0 for the finest.
 * @param n Number of its points, those of topics below it included.
 * @param name Words that set it apart.
 * @param nodeId Id of the cluster.
 * @param x Centre of its points from left to right: their median.
 * @param y Centre of its points from bottom to top.
 */
public record MapTopic(
    Integer above,
    Integer level,
    Integer n,
    String name,
    String nodeId,
    Double x,
    Double y) {}
