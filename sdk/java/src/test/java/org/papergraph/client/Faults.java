package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.papergraph.client.model.*;

/** Makes the calls of faults.json: URL FILE GONE; writes errors and requests by case as JSON. */
final class Faults {
    public static void main(String[] args) throws Exception {
        JsonNode file = Transport.JSON.readTree(new File(args[1]));
        ExecutorService threads = Executors.newFixedThreadPool(6);
        List<Future<ObjectNode>> waiting = new ArrayList<>();
        for (JsonNode one : file.path("cases")) {
            waiting.add(threads.submit(() -> outcome(one, args[0], args[2], file)));
        }
        var outcomes = Transport.JSON.createArrayNode();
        for (Future<ObjectNode> one : waiting) {
            outcomes.add(one.get());
        }
        threads.shutdown();
        System.out.println(outcomes);
        System.exit(0);
    }

    private static ObjectNode outcome(JsonNode one, String url, String gone, JsonNode file) throws Exception {
        String name = one.path("fault").asText();
        String fault = name + "~" + one.path("call").asText() + "-java";
        Papergraph client = new Papergraph(name.equals("gone") ? gone : url + "/" + fault, "pg_x")
            .withTimeout(Duration.ofSeconds(file.path("timeoutSeconds").asInt()))
            .withMaxRetries(file.path("maxRetries").asInt());
        long began = System.nanoTime();
        PapergraphException error = null;
        try {
            call(client, one.path("call").asText());
        } catch (PapergraphException raised) {
            error = raised;
        }
        ObjectNode told = Transport.JSON.createObjectNode();
        told.set("case", one);
        told.put("seconds", (System.nanoTime() - began) / 1e9);
        told.put("error", error == null ? null : error.getClass().getSimpleName());
        told.put("text", String.valueOf(error));
        if (error instanceof ApiException api) {
            told.put("code", api.code()).put("requestId", api.requestId()).put("retryAfter", api.retryAfter());
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/seen/" + fault)).build();
        String seen = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
        return told.set("seen", Transport.JSON.readTree(seen));
    }

    private static void call(Papergraph client, String call) {
        switch (call) {
            case "search" -> client.search("x");
            case "ask" -> client.ask("x", new AskBody());
            case "askStream" -> {
                try (AnswerStream stream = client.askStream("x", new AskBody())) {
                    stream.text();
                }
            }
            case "upload" -> client.upload("a.md", "# A\n".getBytes());
            case "openJob" -> client.openJob(List.of("arxiv:2401.01234"), List.of(), null, null);
            default -> throw new IllegalArgumentException(call);
        }
    }
}
