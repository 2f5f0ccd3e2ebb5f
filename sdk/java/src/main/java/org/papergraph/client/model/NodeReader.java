package org.papergraph.client.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;

/** Reads a node as the class of its label. */
final class NodeReader extends JsonDeserializer<LabelledNode> {
    private static final Map<String, Class<? extends Node>> KINDS = Map.of(
        "Paper", Paper.class, "Section", Section.class, "Chunk", Chunk.class, "Author", Author.class,
        "Reference", Reference.class, "Question", Question.class, "Entity", Entity.class, "Cluster", Cluster.class);

    @Override
    public LabelledNode deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        JsonNode read = parser.readValueAsTree();
        String label = read.path("label").asText();
        Class<? extends Node> kind = KINDS.get(label);
        Node node = kind == null
            ? new UnknownNode(read.path("node"))
            : parser.getCodec().treeToValue(read.path("node"), kind);
        return new LabelledNode(label, node);
    }
}
