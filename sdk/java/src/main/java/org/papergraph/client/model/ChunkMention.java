// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A chunk that mentions an entity.
 *
 * @param chunk Chunk.
 * @param extractor Extractor.
 * @param names Names.
 * @param offsets Offsets.
 */
public record ChunkMention(
    Chunk chunk,
    String extractor,
    List<String> names,
    List<Integer> offsets) {}
