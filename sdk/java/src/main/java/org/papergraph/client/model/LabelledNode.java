package org.papergraph.client.model;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/**
 * A node of the graph, also one of a label that this version does not know.
 *
 * @param label its label, such as Paper
 * @param node the node as it arrived
 */
public record LabelledNode(String label, JsonNode node) {
    private static final ObjectMapper JSON = new ObjectMapper()
        .registerModule(new JavaTimeModule())
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** Id of the node, a sha-256 as hex. @return the id */
    public String id() {
        return node.path("id").asText();
    }

    /**
     * The node as an object, such as {@code node.as(Paper.class)}.
     *
     * @param kind class of the label
     * @param <T> type of the node
     * @return the node
     */
    public <T> T as(Class<T> kind) {
        if (!kind.getSimpleName().equals(label)) {
            throw new ClassCastException("The node is a " + label + ", not a " + kind.getSimpleName() + ".");
        }
        return JSON.convertValue(node, kind);
    }
}
