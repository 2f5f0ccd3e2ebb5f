// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * A chunk that mentions an entity.
 *
 * @param chunk The chunk.
 * @param extractor Extractor of the mention.
 * @param names Spellings in the chunk.
 * @param offsets Offsets of the mentions in the text, from 0.
 */
public record ChunkMention(
    Chunk chunk,
    String extractor,
    List<String> names,
    List<Integer> offsets) {}
