package org.papergraph.client.model;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A node of a label that this version does not know.
 *
 * @param json the node as it arrived
 */
public record UnknownNode(JsonNode json) implements Node {
    @Override
    public String id() {
        return json.path("id").asText();
    }
}
