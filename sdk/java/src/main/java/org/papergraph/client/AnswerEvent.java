package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.papergraph.client.model.*;

/** Event of an answer while it is written. */
public sealed interface AnswerEvent {
    /**
     * Passages that the answer is written from.
     *
     * @param sources the passages
     */
    record Sources(List<Source> sources) implements AnswerEvent {}

    /**
     * Next piece of the text.
     *
     * @param text the piece
     */
    record Delta(String text) implements AnswerEvent {}

    /**
     * A verified citation.
     *
     * @param citation the citation
     */
    record Citation(AnswerCitation citation) implements AnswerEvent {}

    /**
     * The whole answer or refusal; the last event.
     *
     * @param answer the answer
     */
    record Done(AskAnswer answer) implements AnswerEvent {}

    /**
     * An event that this version does not know.
     *
     * @param name its name
     * @param data its data
     */
    record Other(String name, JsonNode data) implements AnswerEvent {}
}
