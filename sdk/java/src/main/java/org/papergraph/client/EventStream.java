package org.papergraph.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads server-sent events as they arrive, each within the longest silence. */
final class EventStream implements Flow.Subscriber<List<ByteBuffer>>, AutoCloseable {
    /** An event with its data as JSON. */
    record Event(String name, JsonNode data) {}

    private static final Object END = new Object();
    private final LinkedBlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final Duration silence;
    private final String url;
    private volatile Flow.Subscription subscription;
    private byte[] part = new byte[0];
    private int place;
    private boolean ended;

    EventStream(Flow.Publisher<List<ByteBuffer>> body, Duration silence, String url) {
        this.silence = silence;
        this.url = url;
        body.subscribe(this);
    }

    /** Return the next event, or null at the end. */
    Event next() {
        String name = "message";
        StringBuilder data = new StringBuilder();
        boolean hasData = false;
        String text;
        while ((text = nextLine()) != null) {
            if (text.isEmpty()) {
                if (hasData) {
                    return parsed(name, data.toString());
                }
                name = "message";
            } else if (text.startsWith("event:")) {
                name = text.substring(6).strip();
            } else if (text.startsWith("data:")) {
                data.append(hasData ? "\n" : "").append(text.substring(text.startsWith("data: ") ? 6 : 5));
                hasData = true;
            }
        }
        return null;
    }

    /** Return all bytes that are left. */
    byte[] rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            for (int one = read(); one >= 0; one = read()) {
                all.write(one);
            }
        } catch (BrokenStreamException error) {
            throw new HttpTimeoutException(error.getMessage());
        }
        return all.toByteArray();
    }

    @Override
    public void close() {
        Flow.Subscription open = subscription;
        if (open != null) {
            open.cancel();
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer one : parts) {
            byte[] bytes = new byte[one.remaining()];
            one.get(bytes);
            arrived.add(bytes);
        }
        subscription.request(1);
    }

    @Override
    public void onError(Throwable error) {
        arrived.add(error);
    }

    @Override
    public void onComplete() {
        arrived.add(END);
    }

    private Event parsed(String name, String data) {
        try {
            JsonNode read = Transport.JSON.readTree(data);
            if (name.equals("problem")) {
                throw Transport.error(read, 0, null);
            }
            return new Event(name, read);
        } catch (JsonProcessingException error) {
            throw new BrokenStreamException("The data of event " + name + " is not JSON.", error);
        }
    }

    private String nextLine() {
        line.reset();
        for (int one = read(); one >= 0; one = read()) {
            if (one == '\n') {
                String text = line.toString(StandardCharsets.UTF_8);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            line.write(one);
        }
        return null;
    }

    private int read() {
        while (place >= part.length) {
            if (ended) {
                return -1;
            }
            Object next;
            try {
                next = arrived.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException error) {
                close();
                throw Transport.interrupted(error);
            }
            if (next instanceof byte[] bytes) {
                part = bytes;
                place = 0;
            } else if (next == END) {
                ended = true;
            } else {
                close();
                String why = next == null ? " was silent for " + silence + "." : " broke.";
                throw new BrokenStreamException("The stream of " + url + why, (Throwable) next);
            }
        }
        return part[place++] & 0xff;
    }
}
