// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * An entity that a chunk mentions.
 *
 * @param entity The entity.
 * @param extractor Extractor of the mention.
 * @param names Spellings in the chunk.
 * @param offsets Offsets of the mentions in the text, from 0.
 */
public record EntityMention(
    Entity entity,
    String extractor,
    List<String> names,
    List<Integer> offsets) {}
