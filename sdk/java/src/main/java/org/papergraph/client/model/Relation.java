// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Relation between entities, stated by a paper.
 *
 * @param chunkIds Chunks with the statement.
 * @param direction Outgoing if the relation points to the other entity. Known values: outgoing, incoming.
 * @param entity Related entity.
 * @param extractor Extractor of the relation.
 * @param paperId Paper with the statement.
 * @param type Relation type of the schema.
 */
public record Relation(
    List<String> chunkIds,
    String direction,
    Entity entity,
    String extractor,
    String paperId,
    String type) {}
