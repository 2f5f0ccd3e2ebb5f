// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * An entity that a paper mentions.
 *
 * @param entity The entity.
 * @param nChunks Number of mentioning chunks of the paper.
 */
public record EntityOfPaper(
    Entity entity,
    Integer nChunks) {}
