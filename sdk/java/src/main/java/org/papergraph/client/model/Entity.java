// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Method, data set, measure or other entity that papers mention.
 *
 * @param aliases Aliases.
 * @param collection Collection.
 * @param id Id.
 * @param name Name.
 * @param pageRank PageRank in the co-mention graph, 1 on average; null if not computed.
 * @param type Type.
 */
public record Entity(
    List<String> aliases,
    String collection,
    String id,
    String name,
    Double pageRank,
    String type) implements Node {}
