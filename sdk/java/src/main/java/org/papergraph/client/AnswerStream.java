package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.papergraph.client.model.*;

/** An answer while it is written: iterate over its events once, within try-with-resources. */
public final class AnswerStream implements Iterable<AnswerEvent>, AutoCloseable {
    private final EventStream events;
    private AskAnswer result;

    AnswerStream(EventStream events) {
        this.events = events;
    }

    /** The whole answer or refusal, after the last event. @return the answer, or null before */
    public AskAnswer result() {
        return result;
    }

    /** The events. @return an iterator, which can be had once */
    @Override
    public Iterator<AnswerEvent> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return result == null;
            }

            @Override
            public AnswerEvent next() {
                if (result != null) {
                    throw new NoSuchElementException();
                }
                EventStream.Event event = events.next();
                if (event == null) {
                    throw new BrokenStreamException("The stream ended before the answer was complete.", null);
                }
                return told(event);
            }
        };
    }

    /** Read to the end. @return the text; empty for a refusal */
    public String text() {
        for (AnswerEvent event : this) {
            if (event instanceof AnswerEvent.Done) {
                break;
            }
        }
        return result.text() == null ? "" : result.text();
    }

    /** End the stream; the server stops to write the answer. */
    @Override
    public void close() {
        events.close();
    }

    private AnswerEvent told(EventStream.Event event) {
        JsonNode data = event.data();
        return switch (event.name()) {
            case "sources" -> new AnswerEvent.Sources(Arrays.asList(
                Transport.JSON.convertValue(data.path("sources"), Source[].class)));
            case "delta" -> new AnswerEvent.Delta(data.path("text").asText());
            case "citation" -> new AnswerEvent.Citation(Transport.JSON.convertValue(data, AnswerCitation.class));
            case "done" -> {
                result = Transport.JSON.convertValue(data, AskAnswer.class);
                yield new AnswerEvent.Done(result);
            }
            default -> new AnswerEvent.Other(event.name(), data);
        };
    }
}
