// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

import java.util.List;

/**
 * Method, data set, measure or other entity that papers mention.
 *
 * @param aliases Other spellings, abbreviations and long forms.
 * @param collection Collection of the papers.
 * @param id Sha-256 hex of collection and name.
 * @param name Most frequent spelling.
 * @param pageRank PageRank in the co-mention graph, 1 on average; null if not computed.
 * @param type Most frequent type of its mentions.
 */
public record Entity(
    List<String> aliases,
    String collection,
    String id,
    String name,
    Double pageRank,
    String type) implements Node {}
