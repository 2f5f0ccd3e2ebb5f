package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.papergraph.client.model.*;

/** Runs the calls of conformance.json: URL FILE RUN; writes what differs, by name, as JSON. */
final class Conformance {
    private final Papergraph client;
    private final String run;
    private final Map<String, JsonNode> saved = new HashMap<>();
    private final Map<String, Function<JsonNode, Object>> calls = new HashMap<>();

    private Conformance(String url, String run, String question) {
        this.client = new Papergraph(url, null).withTimeout(Duration.ofSeconds(120));
        this.run = run;
        saved.put("question", Transport.JSON.valueToTree(question));
        saved.put("run", Transport.JSON.valueToTree(run));
        searching();
        managing();
        graph();
        ingesting();
    }

    public static void main(String[] args) throws Exception {
        JsonNode file = Transport.JSON.readTree(new File(args[1]));
        Conformance conformance = new Conformance(args[0], args[2], file.path("question").asText());
        ObjectNode faults = Transport.JSON.createObjectNode();
        for (JsonNode one : file.path("cases")) {
            List<String> found = conformance.differences(one);
            if (!found.isEmpty()) {
                faults.set(one.path("name").asText(), Transport.JSON.valueToTree(found));
            }
        }
        System.out.println(faults);
    }

    private void searching() {
        calls.put("search", at -> client.search(text(at, "query"), options(new SearchBody(), at, "query")));
        calls.put("ask", at -> client.ask(text(at, "question"), options(new AskBody(), at, "question")));
        calls.put("askStream", at -> {
            Set<String> kinds = new LinkedHashSet<>();
            StringBuilder text = new StringBuilder();
            AskBody options = options(new AskBody(), at, "question");
            try (AnswerStream stream = client.askStream(text(at, "question"), options)) {
                for (AnswerEvent event : stream) {
                    kinds.add(event.getClass().getSimpleName().toLowerCase());
                    if (event instanceof AnswerEvent.Delta delta) {
                        text.append(delta.text());
                    }
                }
                return Map.of("kinds", kinds, "text", text.toString(), "result", stream.result());
            }
        });
        calls.put("summary", at -> client.summary(options(new SummaryBody(), at, "")));
        calls.put("createCollection", at ->
            client.createCollection(text(at, "name"), options(new CollectionBody(), at, "name")));
        calls.put("describeCollection", at ->
            client.describeCollection(text(at, "name"), options(new CollectionTexts(), at, "name")));
        calls.put("deleteCollection", at -> client.deleteCollection(text(at, "name")));
        calls.put("enrichments", at -> client.enrichments());
        calls.put("estimateEnrichments", at ->
            client.estimateEnrichments(texts(at, "names"), text(at, "collection")));
        calls.put("enrich", at ->
            client.enrich(texts(at, "names"), options(new EnrichBody(), at, "names")).job());
        calls.put("collections", at -> client.collections());
        calls.put("setSubject", at -> client.setSubject(text(at, "collection"), text(at, "subject")));
        calls.put("pipelines", at -> client.pipelines());
        calls.put("pipeline", at -> client.pipeline(text(at, "name")));
    }

    private void managing() {
        calls.put("paperFields", at -> client.paperFields(text(at, "id")));
        calls.put("editPaper", at -> client.editPaper(text(at, "id"), options(new PaperEdit(), at, "id")));
        calls.put("exportPapers", at -> client.exportPapers(texts(at, "ids"), text(at, "format")));
        calls.put("paperFile", at -> new String(client.file(text(at, "id")), StandardCharsets.UTF_8));
        calls.put("markdown", at -> client.markdown(text(at, "id")));
        calls.put("pageImage", at -> client.pageImage(text(at, "id"), number(at, "page"), number(at, "width")));
        calls.put("figureImage", at -> client.figureImage(text(at, "id"), number(at, "width")));
        calls.put("mergeAuthors", at -> client.mergeAuthors(text(at, "id"), text(at, "into")));
        calls.put("splitAuthor", at -> client.splitAuthor(text(at, "id"), texts(at, "papers")));
        calls.put("mergeEntities", at -> client.mergeEntities(text(at, "id"), text(at, "other")));
        calls.put("splitEntities", at -> client.splitEntities(text(at, "id"), text(at, "other")));
        calls.put("undoAuthor", at -> client.undoAuthor(text(at, "id")));
    }

    private void graph() {
        calls.put("papers", at -> client.papers(options(new PapersOptions(), at, "first"))
            .pageSize(at.path("first").asInt(100)));
        calls.put("facets", at -> {
            ObjectNode which = at.deepCopy();
            which.remove("limit");
            return client.facets(texts(at, "names"), options(new PapersOptions(), which, "names"), number(at, "limit"));
        });
        calls.put("suggest", at -> client.suggest(text(at, "text"), text(at, "collection")));
        calls.put("neighbourhood", at ->
            client.neighbourhood(texts(at, "ids"), texts(at, "types"), number(at, "perType")));
        calls.put("map", at -> client.map(text(at, "collection"), number(at, "limit")));
        calls.put("regions", at -> client.regions(text(at, "id"), number(at, "start"), number(at, "end")));
        calls.put("server", at -> client.server());
        calls.put("viewer", at -> client.viewer());
        calls.put("paper", at -> at.has("id")
            ? client.paper(text(at, "id"))
            : client.paperByKey(text(at, "key"), text(at, "collection")));
        calls.put("deletePaper", at -> client.deletePaper(text(at, "id")));
        calls.put("node", at -> client.node(text(at, "id")));
        calls.put("nodes", at -> client.nodes(texts(at, "ids")));
        calls.put("neighbours", at -> client.neighbours(list(text(at, "list")), text(at, "id")));
        calls.put("related", at -> client.related(text(at, "id"), text(at, "by"), number(at, "k")));
        calls.put("path", at -> client.path(text(at, "from"), text(at, "to"), number(at, "maxHops")));
        calls.put("entities", at -> client.entities(text(at, "collection"), text(at, "text"), texts(at, "types")));
        calls.put("clusters", at -> client.clusters(text(at, "collection"), text(at, "kind"), number(at, "level")));
        calls.put("questions", at -> client.questions(text(at, "collection"), text(at, "review")));
        calls.put("reviewQuestion", at -> client.reviewQuestion(text(at, "id"), text(at, "decision"), text(at, "text")));
        calls.put("cypher", this::rows);
        calls.put("cypherDicts", at -> {
            CypherRows found = rows(at);
            return found.rows().stream().map(row -> {
                Map<String, Object> one = new LinkedHashMap<>();
                for (int place = 0; place < row.size(); place++) {
                    one.put(found.columns().get(place), row.get(place));
                }
                return one;
            }).toList();
        });
        calls.put("cypherGraph", at -> client.cypherGraph(text(at, "query"), map(at, "parameters"), new CypherBody()));
        calls.put("graphql", at -> client.graphql(text(at, "query"), map(at, "variables")));
        calls.put("rawPaper", at -> shown(client.raw("GET", "/v1/papers/" + text(at, "id"), Map.of(), null)));
        calls.put("raw", at -> shown(client.raw(text(at, "method"), text(at, "path"), map(at, "query"), null)));
    }

    private void ingesting() {
        calls.put("upload", at -> client.upload(text(at, "name"), text(at, "text").getBytes(StandardCharsets.UTF_8)));
        calls.put("uploads", at -> client.uploads());
        calls.put("getUpload", at -> client.getUpload(text(at, "id")));
        calls.put("deleteUpload", at -> {
            client.deleteUpload(text(at, "id"));
            return null;
        });
        calls.put("ingestFiles", at -> {
            try {
                Path folder = Files.createTempDirectory("conformance");
                List<Path> files = new ArrayList<>();
                for (Map.Entry<String, Object> one : map(at, "files").entrySet()) {
                    files.add(Files.writeString(folder.resolve(one.getKey()), (String) one.getValue()));
                }
                List<Job> seen = new ArrayList<>();
                Job job = client.ingestFiles(files, text(at, "collection")).await(Duration.ofSeconds(120), seen::add);
                ObjectNode read = Transport.JSON.valueToTree(job);
                return read.set("seen", Transport.JSON.valueToTree(seen));
            } catch (java.io.IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        });
        calls.put("openJob", at -> client.openJob(
            texts(at, "sources"), List.of(), text(at, "collection"), text(at, "idempotencyKey")).job());
        calls.put("estimateIngest", at ->
            client.estimateIngest(texts(at, "sources"), texts(at, "uploads"), text(at, "collection")));
        calls.put("jobs", at -> client.jobs());
        calls.put("job", at -> client.job(text(at, "id")).job());
        calls.put("tasks", at -> client.job(text(at, "id")).tasks());
        calls.put("followJob", at -> client.job(text(at, "id")).follow(job -> {}));
        calls.put("cancelJob", at -> client.job(text(at, "id")).cancel());
    }

    private CypherRows rows(JsonNode at) {
        CypherBody options = new CypherBody();
        if (at.has("rows")) {
            options.rows(number(at, "rows"));
        }
        return client.cypher(text(at, "query"), map(at, "parameters"), options);
    }

    private List<String> differences(JsonNode one) {
        List<String> found = new ArrayList<>();
        JsonNode result;
        try {
            Object made = calls.get(one.path("call").asText()).apply(filled(one.path("args")));
            if (made instanceof Pages<?> pages) {
                made = one.has("count") ? pages.count() : pages.stream().limit(one.path("take").asInt()).toList();
            }
            result = Transport.JSON.valueToTree(made);
        } catch (ApiException error) {
            return errors(one, error);
        } catch (RuntimeException error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            return List.of(trace.toString());
        }
        if (one.has("error")) {
            return List.of("no error");
        }
        one.path("save").properties().forEach(part -> saved.put(part.getKey(), at(result, part.getValue().asText())));
        one.path("expect").properties().forEach(part -> {
            JsonNode value = at(result, part.getKey());
            if (!fits(value, filled(part.getValue()))) {
                String told = String.valueOf(value);
                found.add(part.getKey() + ": " + told.substring(0, Math.min(200, told.length())) + " is not " + part.getValue());
            }
        });
        return found;
    }

    private static List<String> errors(JsonNode one, ApiException error) {
        List<String> found = new ArrayList<>();
        if (!one.has("error") || !fits(Transport.JSON.valueToTree(error.code()), one.path("error"))) {
            found.add(error.toString());
        }
        if (one.has("status") && error.status() != one.path("status").asInt()) {
            found.add("status " + error.status());
        }
        if (error.requestId() == null) {
            found.add("no request id");
        }
        for (JsonNode field : one.path("fields")) {
            if (error.errors().stream().noneMatch(e -> field.asText().equals(e.field()))) {
                found.add("no field " + field);
            }
        }
        for (JsonNode reason : one.path("reasons")) {
            if (error.errors().stream().noneMatch(e -> reason.asText().equals(e.reason()))) {
                found.add("no reason " + reason);
            }
        }
        return found;
    }

    private JsonNode filled(JsonNode value) {
        if (value.isTextual()) {
            String text = value.asText();
            JsonNode kept = text.startsWith("$") ? saved.get(text.substring(1)) : null;
            return kept != null ? kept : Transport.JSON.valueToTree(text.replace("${run}", run));
        }
        if (value.isArray()) {
            var array = Transport.JSON.createArrayNode();
            value.forEach(one -> array.add(filled(one)));
            return array;
        }
        if (value.isObject()) {
            ObjectNode object = Transport.JSON.createObjectNode();
            value.properties().forEach(one ->
                object.set(one.getKey().replace("${run}", run), filled(one.getValue())));
            return object;
        }
        return value;
    }

    private static JsonNode at(JsonNode value, String place) {
        JsonNode found = value;
        for (String part : place.isEmpty() ? new String[0] : place.split("\\.")) {
            found = found == null ? null : found.isArray() ? found.get(Integer.parseInt(part)) : found.get(part);
        }
        return found == null ? Transport.JSON.nullNode() : found;
    }

    private static boolean fits(JsonNode found, JsonNode wanted) {
        if (wanted.has("min")) {
            return (found.isArray() ? found.size() : found.asDouble(-1)) >= wanted.path("min").asDouble();
        }
        if (wanted.has("size")) {
            return found.size() == wanted.path("size").asInt();
        }
        if (wanted.has("matches")) {
            return found.isTextual() && Pattern.compile(wanted.path("matches").asText()).matcher(found.asText()).find();
        }
        return found.isNumber() && wanted.isNumber() ? found.asDouble() == wanted.asDouble() : found.equals(wanted);
    }

    private static ListOf<?> list(String name) {
        try {
            return (ListOf<?>) NodeLists.class.getField(name.replaceAll("[/-]", "_").toUpperCase()).get(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static <S extends Options<S>> S options(S options, JsonNode at, String without) {
        at.properties().forEach(one -> {
            if (!one.getKey().equals(without)) {
                options.set(one.getKey(), Transport.JSON.convertValue(one.getValue(), Object.class));
            }
        });
        return options;
    }

    private static Map<String, Object> shown(RawResponse answer) {
        return Map.of("status", answer.status(), "requestId", answer.requestId(), "json", answer.json());
    }

    private static String text(JsonNode at, String name) {
        return at.hasNonNull(name) ? at.get(name).asText() : null;
    }

    private static Integer number(JsonNode at, String name) {
        return at.hasNonNull(name) ? at.get(name).asInt() : null;
    }

    private static List<String> texts(JsonNode at, String name) {
        return at.has(name) ? Arrays.asList(Transport.JSON.convertValue(at.path(name), String[].class)) : null;
    }

    private static Map<String, Object> map(JsonNode at, String name) {
        Map<String, Object> read = new LinkedHashMap<>();
        at.path(name).properties().forEach(one -> read.put(one.getKey(), Transport.JSON.convertValue(one.getValue(), Object.class)));
        return read;
    }
}
