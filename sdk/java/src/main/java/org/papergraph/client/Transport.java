package org.papergraph.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests, again where it does no harm. */
record Transport(HttpClient http, String url, String key, Duration timeout, int maxRetries) {
    static final String VERSION = "0.1.0";
    static final ObjectMapper JSON = new ObjectMapper()
        .registerModule(new JavaTimeModule())
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    private static final double LONGEST_PAUSE_S = 60;
    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)\\}");

    /** Something that is tried: it gives an answer of any status. */
    private interface Try {
        RawResponse answer() throws IOException, InterruptedException;
    }

    RawResponse send(Call call) {
        return again(call, () -> {
            HttpResponse<byte[]> response = wait(http.sendAsync(request(call), HttpResponse.BodyHandlers.ofByteArray()));
            return new RawResponse(response.statusCode(), response.headers(), response.body());
        });
    }

    /** Open a stream of events; a refusal before its first event is tried again. */
    EventStream events(Call call) {
        List<Flow.Publisher<List<ByteBuffer>>> opened = new ArrayList<>();
        again(call, () -> {
            var response = wait(http.sendAsync(request(call), HttpResponse.BodyHandlers.ofPublisher()));
            if (response.statusCode() < 300) {
                opened.add(response.body());
                return new RawResponse(response.statusCode(), response.headers(), new byte[0]);
            }
            EventStream refused = new EventStream(response.body(), timeout, url);
            return new RawResponse(response.statusCode(), response.headers(), refused.rest());
        });
        return new EventStream(opened.get(0), timeout, url);
    }

    private RawResponse again(Call call, Try once) {
        for (int tries = 1; ; tries++) {
            RawResponse answer = null;
            IOException failure = null;
            try {
                answer = once.answer();
                if (answer.status() < 300) {
                    return answer;
                }
            } catch (IOException error) {
                failure = error;
            } catch (InterruptedException error) {
                throw interrupted(error);
            }
            Double pause = tries > maxRetries ? null : pauseAfter(call, tries, answer, failure);
            if (pause == null) {
                throw answer != null ? answer.error() : errorOf(failure);
            }
            pause(pause);
        }
    }

    /**
     * Return the seconds before the next try, or null where there must be none. An answer 429, or 503 with Retry-After,
     * says that nothing was done; after other failures only a repeatable request is sent again.
     */
    static Double pauseAfter(Call call, int tries, RawResponse answer, IOException failure) {
        Double wait = null;
        boolean undone;
        if (answer != null) {
            int status = answer.status();
            if (status != 429 && status != 503 && status != 504) {
                return null;
            }
            wait = answer.retryAfter();
            undone = status == 429 || (status == 503 && wait != null);
        } else {
            undone = failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
        }
        if (!undone && !call.repeatable) {
            return null;
        }
        if (wait != null) {
            return wait > LONGEST_PAUSE_S ? null : wait;
        }
        return Math.min(8, 0.25 * Math.pow(2, tries)) * ThreadLocalRandom.current().nextDouble(0.5, 1);
    }

    static ApiException error(JsonNode problem, int status, Double retryAfter) {
        List<FieldError> errors = new ArrayList<>();
        for (JsonNode one : problem.path("errors")) {
            errors.add(new FieldError(text(one, "field"), text(one, "message"), text(one, "reason")));
        }
        int told = problem.path("status").asInt(status);
        return ApiException.of(new ApiException.Problem(
            problem.path("code").asText(""), problem.path("detail").asText(""), told, text(problem, "requestId"),
            List.copyOf(errors), retryAfter));
    }

    static void pause(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException error) {
            throw interrupted(error);
        }
    }

    static CancelledException interrupted(InterruptedException error) {
        Thread.currentThread().interrupt();
        return new CancelledException("The thread was interrupted.", error);
    }

    private PapergraphException errorOf(IOException failure) {
        if (failure instanceof HttpTimeoutException && !(failure instanceof HttpConnectTimeoutException)) {
            return new NoAnswerInTimeException(url + " did not answer in time.", failure);
        }
        return new ConnectionFailedException(url + " cannot be reached: " + failure, failure);
    }

    /** Return what a future gives within the timeout, which covers the body too. */
    private <T> T wait(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            throw new HttpTimeoutException("no answer within " + timeout);
        } catch (ExecutionException error) {
            if (error.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IOException(error.getCause());
        } finally {
            future.cancel(true);
        }
    }

    private HttpRequest request(Call call) throws IOException {
        StringBuilder query = new StringBuilder();
        call.query.forEach((name, value) -> {
            for (Object one : value instanceof Iterable<?> many ? many : List.of(value)) {
                query.append(query.isEmpty() ? "?" : "&").append(quoted(name)).append("=");
                query.append(quoted(String.valueOf(one)));
            }
        });
        String path = PLACE.matcher(call.path)
            .replaceAll(place -> Matcher.quoteReplacement(quoted(call.places.get(place.group(1)))));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path + query))
            .header("User-Agent", "papergraph-client-java/" + VERSION + " java/" + Runtime.version().feature());
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        call.headers.forEach(request::header);
        return request.method(call.method, content(call, request)).build();
    }

    private static HttpRequest.BodyPublisher content(Call call, HttpRequest.Builder request) throws IOException {
        if (call.file != null) {
            String boundary = UUID.randomUUID().toString();
            request.header("Content-Type", "multipart/form-data; boundary=" + boundary);
            String name = call.fileName.replace("\"", "%22").replaceAll("[\r\n]", "_");
            ByteArrayOutputStream form = new ByteArrayOutputStream();
            form.writeBytes(("--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name
                + "\"\r\nContent-Type: application/octet-stream\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            form.writeBytes(call.file);
            form.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
            return HttpRequest.BodyPublishers.ofByteArray(form.toByteArray());
        }
        if (call.body == null) {
            return HttpRequest.BodyPublishers.noBody();
        }
        request.header("Content-Type", "application/json");
        return HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(call.body));
    }

    private static String quoted(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String text(JsonNode node, String name) {
        return node.hasNonNull(name) ? node.get(name).asText() : null;
    }
}
