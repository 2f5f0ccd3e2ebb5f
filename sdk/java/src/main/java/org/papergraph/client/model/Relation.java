// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Relation between entities, stated by a paper.
 *
 * @param chunkIds Chunk ids.
 * @param direction Outgoing if the relation points to the other entity. Known values: outgoing, incoming.
 * @param entity Related entity.
 * @param extractor Extractor.
 * @param paperId Paper id.
 * @param type Type.
 */
public record Relation(
    List<String> chunkIds,
    String direction,
    Entity entity,
    String extractor,
    String paperId,
    String type) {}
