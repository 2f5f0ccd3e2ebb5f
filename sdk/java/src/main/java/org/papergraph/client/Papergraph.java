package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.papergraph.client.model.*;

/**
 * A client of a papergraph server; threads may share it. Every method throws a {@link PapergraphException}, and an
 * {@link ApiException} if the server reports an error. Interrupting the thread ends a request.
 */
public final class Papergraph {
    private final Transport transport;

    /** Use PAPERGRAPH_URL, or http://127.0.0.1:8000, and PAPERGRAPH_API_KEY. */
    public Papergraph() {
        this(System.getenv().getOrDefault("PAPERGRAPH_URL", "http://127.0.0.1:8000"), System.getenv("PAPERGRAPH_API_KEY"));
    }

    /**
     * Use a server.
     *
     * @param url address
     * @param key API key, or null
     */
    public Papergraph(String url, String key) {
        this(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10)).build(),
            url, key);
    }

    /**
     * Use a server over a client of HTTP, such as one with a proxy.
     *
     * @param http client of HTTP
     * @param url address
     * @param key API key, or null
     */
    public Papergraph(HttpClient http, String url, String key) {
        this(new Transport(http, url.replaceAll("/+$", ""), key, Duration.ofSeconds(60), 2));
    }

    private Papergraph(Transport transport) {
        this.transport = transport;
    }

    /**
     * The same client with another timeout.
     *
     * @param timeout time for the answer to one try; for a stream, the longest silence
     * @return the client, over the same connections
     */
    public Papergraph withTimeout(Duration timeout) {
        return new Papergraph(
            new Transport(transport.http(), transport.url(), transport.key(), timeout, transport.maxRetries()));
    }

    /**
     * The same client with another number of retries.
     *
     * @param most most tries after the first
     * @return the client, over the same connections
     */
    public Papergraph withMaxRetries(int most) {
        return new Papergraph(
            new Transport(transport.http(), transport.url(), transport.key(), transport.timeout(), most));
    }

    /**
     * Search for passages.
     *
     * @param query the query
     * @param options options, such as {@code new SearchBody().k(5)}
     * @return passages, best first
     */
    public SearchAnswer search(String query, SearchBody options) {
        return one(new Call("POST", "/v1/search").body(body("query", query, options)), SearchAnswer.class);
    }

    /**
     * Search for passages.
     *
     * @param query the query
     * @return passages, best first
     */
    public SearchAnswer search(String query) {
        return search(query, new SearchBody());
    }

    /**
     * Answer a question.
     *
     * @param question the question
     * @param options options
     * @return an answer with verified citations, or a refusal with its reason
     */
    public AskAnswer ask(String question, AskBody options) {
        return one(new Call("POST", "/v1/ask").body(body("question", question, options)).once(), AskAnswer.class);
    }

    /**
     * Answer a question, and read the answer while it is written.
     *
     * @param question the question
     * @param options options
     * @return the events, to be closed
     */
    public AnswerStream askStream(String question, AskBody options) {
        Map<String, Object> body = body("question", question, options);
        body.put("stream", true);
        return new AnswerStream(transport.events(new Call("POST", "/v1/ask").body(body).once()));
    }

    /**
     * Say what the papers of a cluster, or those with metadata, are about as a group.
     *
     * @param options the papers, such as {@code new SummaryBody().cluster(id)}
     * @return the summary
     */
    public Summary summary(SummaryBody options) {
        return one(new Call("POST", "/v1/summaries").body(options.values()).once(), Summary.class);
    }

    /**
     * List papers.
     *
     * @param options options, such as {@code new PapersOptions().text("codes").sort("year")}
     * @return the papers
     */
    public Pages<Paper> papers(PapersOptions options) {
        return pages(which(new Call("GET", "/v1/papers"), options), Paper.class);
    }

    /**
     * List the papers of a collection, by title.
     *
     * @param collection name of the collection; null for the default
     * @return the papers
     */
    public Pages<Paper> papers(String collection) {
        return papers(new PapersOptions().collection(collection));
    }

    /**
     * Read a paper.
     *
     * @param id its id
     * @return the paper
     */
    public Paper paper(String id) {
        return one(new Call("GET", "/v1/papers/{id}").place("id", id), Paper.class);
    }

    /**
     * Read a paper by a key.
     *
     * @param key a DOI, an arXiv id or a stored key
     * @param collection name of the collection; null for the default
     * @return the paper
     */
    public Paper paperByKey(String key, String collection) {
        Call call = new Call("GET", "/v1/papers/by-key").query("key", key).query("collection", collection);
        return one(call, Paper.class);
    }

    /**
     * Delete a paper and its data.
     *
     * @param id its id
     * @return what was deleted
     */
    public DeletedPaper deletePaper(String id) {
        return one(new Call("DELETE", "/v1/papers/{id}").place("id", id).once(), DeletedPaper.class);
    }

    /**
     * List the fields of a paper, each with the source that states it.
     *
     * @param id id of the paper
     * @return the fields
     */
    public List<PaperField> paperFields(String id) {
        return many(new Call("GET", "/v1/papers/{id}/fields").place("id", id), PaperField[].class);
    }

    /**
     * Set, empty or restore fields of a paper; edits have priority over all sources.
     *
     * @param id id of the paper; another DOI or arXiv id can change it
     * @param options the edit, such as {@code new PaperEdit().fields(Map.of("year", 2021))}
     * @return the fields that the edit names, as they are now
     */
    public EditedPaper editPaper(String id, PaperEdit options) {
        Call call = new Call("PATCH", "/v1/papers/{id}").place("id", id).body(options.values());
        return one(call, EditedPaper.class);
    }

    /**
     * Export papers as a bibliography, or each as a Markdown file.
     *
     * @param ids ids of 1 to 100 papers; of at most 20 for md
     * @param format bibtex, csl-json, ris or md; null for bibtex
     * @return the files
     */
    public PaperExport exportPapers(List<String> ids, String format) {
        return one(new Call("GET", "/v1/papers/export").query("id", ids).query("format", format), PaperExport.class);
    }

    /**
     * Mark two authors as one person.
     *
     * @param id id of an author
     * @param into id of the author whose identity the person keeps
     * @return the person
     */
    public DecidedAuthor mergeAuthors(String id, String into) {
        Call call = new Call("POST", "/v1/authors/{id}/merge").place("id", id).body(Map.of("into", into));
        return one(call.once(), DecidedAuthor.class);
    }

    /**
     * Mark the author of some papers as another person.
     *
     * @param id id of the author
     * @param papers ids, keys, DOIs or arXiv ids of papers, not all of the author
     * @return the other person
     */
    public DecidedAuthor splitAuthor(String id, List<String> papers) {
        Call call = new Call("POST", "/v1/authors/{id}/split").place("id", id).body(Map.of("papers", papers));
        return one(call.once(), DecidedAuthor.class);
    }

    /**
     * Mark two entities as the same thing.
     *
     * @param id id of one
     * @param other id of the other
     * @return both
     */
    public DecidedEntities mergeEntities(String id, String other) {
        Call call = new Call("POST", "/v1/entities/{id}/merge").place("id", id).body(Map.of("other", other));
        return one(call, DecidedEntities.class);
    }

    /**
     * Mark two entities as different things.
     *
     * @param id id of one
     * @param other id of the other
     * @return both
     */
    public DecidedEntities splitEntities(String id, String other) {
        Call call = new Call("POST", "/v1/entities/{id}/split").place("id", id).body(Map.of("other", other));
        return one(call, DecidedEntities.class);
    }

    /**
     * Undo all merges and splits of an author.
     *
     * @param id id of the author
     * @return the number of decisions
     */
    public UndoneDecisions undoAuthor(String id) {
        return one(new Call("POST", "/v1/authors/{id}/undo").place("id", id).once(), UndoneDecisions.class);
    }

    /**
     * Read a node of any kind.
     *
     * @param id its id
     * @return the node with its label
     */
    public LabelledNode node(String id) {
        return one(new Call("GET", "/v1/nodes/{id}").place("id", id), LabelledNode.class);
    }

    /**
     * Read nodes of any kind.
     *
     * @param ids at most 100 ids
     * @return the nodes in this order, null for unknown ids
     */
    public List<LabelledNode> nodes(List<String> ids) {
        return many(new Call("GET", "/v1/nodes").query("id", ids), LabelledNode[].class);
    }

    /**
     * List nodes beside a node.
     *
     * @param of the list, such as {@code NodeLists.PAPERS_CITES}
     * @param id id of the node
     * @param <T> type of its entries
     * @return the nodes
     */
    public <T> Pages<T> neighbours(ListOf<T> of, String id) {
        String[] parts = of.name().split("/");
        return pages(new Call("GET", "/v1/" + parts[0] + "/{id}/" + parts[1]).place("id", id), of.model());
    }

    /**
     * Read the nodes around nodes, and counts of those left out.
     *
     * @param ids ids of nodes
     * @param types types of relationships to follow; null for all
     * @param perType most neighbours of a node by a type; null for the default
     * @return the nodes and their relationships
     */
    public Neighbourhood neighbourhood(List<String> ids, List<String> types, Integer perType) {
        Call call = new Call("GET", "/v1/neighbourhood").query("id", ids).query("type", types);
        return one(call.query("perType", perType), Neighbourhood.class);
    }

    /**
     * Read the map of a collection: places of its papers in two dimensions, and topics.
     *
     * @param collection name of the collection; null for the default
     * @param limit most papers; null for the default
     * @return the map
     */
    public PaperMap map(String collection, Integer limit) {
        return one(new Call("GET", "/v1/map").query("collection", collection).query("first", limit), PaperMap.class);
    }

    /**
     * List the rectangles of a chunk on the pages of its PDF.
     *
     * @param chunkId id of the chunk
     * @param start first character; null for the first of all
     * @param end character after the last one; null for the end
     * @return the rectangles, one per line
     */
    public List<Region> regions(String chunkId, Integer start, Integer end) {
        Call call = new Call("GET", "/v1/chunks/{id}/regions").place("id", chunkId);
        return many(call.query("start", start).query("end", end), Region[].class);
    }

    /**
     * Read the file that a paper was read from.
     *
     * @param paperId id of the paper
     * @return its bytes
     */
    public byte[] file(String paperId) {
        return transport.send(new Call("GET", "/v1/papers/{id}/file").place("id", paperId)).content();
    }

    /**
     * Read the text of a paper as Markdown.
     *
     * @param paperId id of the paper
     * @return the text
     */
    public String markdown(String paperId) {
        Call call = new Call("GET", "/v1/papers/{id}/text.md").place("id", paperId);
        return new String(transport.send(call).content(), StandardCharsets.UTF_8);
    }

    /**
     * Read a page of the PDF that a paper was read from, as an image.
     *
     * @param paperId id of the paper
     * @param page page, from 1
     * @param width pixels: 160, 400, 800, 1200 or 1600; null for 800
     * @return the bytes of a PNG file
     */
    public byte[] pageImage(String paperId, int page, Integer width) {
        Call call = new Call("GET", "/v1/papers/{id}/pages/{n}.png").place("id", paperId);
        return transport.send(call.place("n", String.valueOf(page)).query("width", width)).content();
    }

    /**
     * Read the picture of a caption, cut from the PDF that its paper was read from.
     *
     * @param chunkId id of a chunk with {@code figure}
     * @param width pixels: 160, 400, 800, 1200 or 1600; null for 800
     * @return the bytes of a PNG file
     */
    public byte[] figureImage(String chunkId, Integer width) {
        Call call = new Call("GET", "/v1/chunks/{id}/figure.png").place("id", chunkId);
        return transport.send(call.query("width", width)).content();
    }

    /**
     * Count what papers have.
     *
     * @param names facets: year, category, author, format, entity, cluster
     * @param options the papers
     * @param limit most values of each facet; null for the default
     * @return values of each facet, the most frequent first
     */
    public List<FacetCounts> facets(List<String> names, PapersOptions options, Integer limit) {
        Call call = which(new Call("GET", "/v1/papers/facets"), options).query("facet", names).query("first", limit);
        return many(call, FacetCounts[].class);
    }

    /**
     * Suggest papers, authors, entities and clusters whose names have the typed words.
     *
     * @param text text typed so far
     * @param collection name of the collection; null for the default
     * @return suggestions
     */
    public List<Suggestion> suggest(String text, String collection) {
        Call call = new Call("GET", "/v1/suggestions").query("text", text).query("collection", collection);
        return many(call, Suggestion[].class);
    }

    /** Read what the server offers: models, uploads and limits. @return what it offers */
    public ServerInfo server() {
        return one(new Call("GET", "/v1/server"), ServerInfo.class);
    }

    /** Read the scopes, collections and limits of the key. @return the caller */
    public Viewer viewer() {
        return one(new Call("GET", "/v1/viewer"), Viewer.class);
    }

    /**
     * List related papers, best first.
     *
     * @param id id of a paper
     * @param by vectors, entities, clusters or citations; null for the default
     * @param k number of papers; null for the default
     * @return related papers
     */
    public List<RelatedPaper> related(String id, String by, Integer k) {
        Call call = new Call("GET", "/v1/papers/{id}/related").place("id", id).query("by", by).query("first", k);
        return many(call, RelatedPaper[].class);
    }

    /**
     * Find a shortest path between two nodes.
     *
     * @param from id of a node
     * @param to id of another
     * @param maxHops most steps; null for the default
     * @return the path, or null if none is short enough
     */
    public GraphPath path(String from, String to, Integer maxHops) {
        Call call = new Call("GET", "/v1/path").query("from", from).query("to", to).query("maxHops", maxHops);
        return Transport.JSON.convertValue(object(transport.send(call)).path("path"), GraphPath.class);
    }

    /**
     * List entities.
     *
     * @param collection name of the collection; null for the default
     * @param text text in their names; null for all
     * @param types types to include; null for all
     * @return the entities
     */
    public Pages<Entity> entities(String collection, String text, List<String> types) {
        Call call = new Call("GET", "/v1/entities").query("collection", collection).query("text", text);
        return pages(call.query("types", types), Entity.class);
    }

    /**
     * List clusters.
     *
     * @param collection name of the collection; null for the default
     * @param kind metadata, topic or community; null for all
     * @param level level in the hierarchy; null for all
     * @return the clusters
     */
    public Pages<Cluster> clusters(String collection, String kind, Integer level) {
        Call call = new Call("GET", "/v1/clusters").query("collection", collection).query("kind", kind);
        return pages(call.query("level", level), Cluster.class);
    }

    /**
     * List questions that papers answer.
     *
     * @param collection name of the collection; null for the default
     * @param review accepted, edited or none; null for all
     * @return the questions
     */
    public Pages<Question> questions(String collection, String review) {
        Call call = new Call("GET", "/v1/questions").query("collection", collection).query("review", review);
        return pages(call, Question.class);
    }

    /**
     * Accept, edit or reject a question.
     *
     * @param id its id
     * @param decision accepted, edited or rejected
     * @param text new text, for an edit; null otherwise
     * @return effect of the decision
     */
    public ReviewedQuestion reviewQuestion(String id, String decision, String text) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("decision", decision);
        body.put("text", text);
        return one(new Call("PUT", "/v1/questions/{id}/review").place("id", id).body(body), ReviewedQuestion.class);
    }

    /**
     * Upload files, and open a job for them.
     *
     * @param files paths of files
     * @param collection name of the collection; null for the default
     * @return the job
     * @throws IOException a file cannot be read
     */
    public JobHandle ingestFiles(List<Path> files, String collection) throws IOException {
        List<String> uploads = new ArrayList<>();
        for (Path file : files) {
            uploads.add(upload(file.getFileName().toString(), Files.readAllBytes(file)).id());
        }
        return openJob(List.of(), uploads, collection, null);
    }

    /**
     * Open a job for sources and uploads.
     *
     * @param sources URLs, or arxiv:ID
     * @param uploads ids of your uploads
     * @param collection name of the collection; null for the default
     * @param idempotencyKey a second call with the same key and sources opens no second job; null for a new key
     * @return the job
     */
    public JobHandle openJob(List<String> sources, List<String> uploads, String collection, String idempotencyKey) {
        Map<String, Object> body = new LinkedHashMap<>(Map.of("sources", sources, "uploads", uploads));
        if (collection != null) {
            body.put("collection", collection);
        }
        String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
        Call call = new Call("POST", "/v1/jobs").body(body).header("Idempotency-Key", key);
        return new JobHandle(transport, one(call, Job.class));
    }

    /**
     * Estimate a job for sources and uploads; nothing is written.
     *
     * @param sources URLs, or arxiv:ID
     * @param uploads ids of your uploads
     * @param collection name of the collection; null for the default
     * @return the estimate
     */
    public IngestionEstimate estimateIngest(List<String> sources, List<String> uploads, String collection) {
        Map<String, Object> body = new LinkedHashMap<>(Map.of("sources", sources, "uploads", uploads));
        if (collection != null) {
            body.put("collection", collection);
        }
        return one(new Call("POST", "/v1/jobs/estimate").body(body), IngestionEstimate.class);
    }

    /**
     * Upload a file, for a job.
     *
     * @param name name of the file, whose ending is that of its format
     * @param content its bytes
     * @return the upload
     */
    public Upload upload(String name, byte[] content) {
        return one(new Call("POST", "/v1/uploads").file(name, content).once(), Upload.class);
    }

    /** List your uploads, newest first. @return the uploads */
    public List<Upload> uploads() {
        return many(new Call("GET", "/v1/uploads"), Upload[].class);
    }

    /**
     * Read one of your uploads.
     *
     * @param id its id
     * @return the upload
     */
    public Upload getUpload(String id) {
        return one(new Call("GET", "/v1/uploads/{id}").place("id", id), Upload.class);
    }

    /**
     * Delete one of your uploads.
     *
     * @param id its id
     */
    public void deleteUpload(String id) {
        transport.send(new Call("DELETE", "/v1/uploads/{id}").place("id", id).once());
    }

    /** List jobs, newest first. @return the jobs */
    public Pages<Job> jobs() {
        return pages(new Call("GET", "/v1/jobs"), Job.class);
    }

    /**
     * Read a job.
     *
     * @param id its id
     * @return the job
     */
    public JobHandle job(String id) {
        return new JobHandle(transport, one(new Call("GET", "/v1/jobs/{id}").place("id", id), Job.class));
    }

    /** List the collections with their counts. @return the collections */
    public List<Collection> collections() {
        return many(new Call("GET", "/v1/collections"), Collection[].class);
    }

    /**
     * Create an empty collection.
     *
     * @param name its name
     * @param options title and description
     * @return the collection
     */
    public Collection createCollection(String name, CollectionBody options) {
        return one(new Call("POST", "/v1/collections").body(body("name", name, options)).once(), Collection.class);
    }

    /**
     * Change the title or the description of a collection.
     *
     * @param name its name
     * @param options the new texts
     * @return the collection
     */
    public Collection describeCollection(String name, CollectionTexts options) {
        Call call = new Call("PATCH", "/v1/collections/{name}").place("name", name).body(options.values());
        return one(call, Collection.class);
    }

    /**
     * Delete a collection with all its data; a large one takes several requests.
     *
     * @param name its name
     * @return what was deleted
     */
    public DeletedCollection deleteCollection(String name) {
        int deleted = 0;
        while (true) {
            Call call = new Call("DELETE", "/v1/collections/{name}").place("name", name).once();
            DeletedCollection done = one(call, DeletedCollection.class);
            deleted += done.nDeleted();
            if (done.nLeft() == 0) {
                return new DeletedCollection(deleted, 0, done.name());
            }
        }
    }

    /** List the enrichments that papers can be given, and what is missing for them. @return the enrichments */
    public List<OfferedEnrichment> enrichments() {
        return many(new Call("GET", "/v1/enrichments"), OfferedEnrichment[].class);
    }

    /**
     * Estimate what enrichments would take.
     *
     * @param names names of enrichments; none for all
     * @param collection name of the collection; null for the default
     * @return the estimate
     */
    public EnrichmentEstimate estimateEnrichments(List<String> names, String collection) {
        Call call = new Call("GET", "/v1/enrichments/estimate").query("enrichments", names);
        return one(call.query("collection", collection), EnrichmentEstimate.class);
    }

    /**
     * Open a job that gives papers the enrichments that they lack.
     *
     * @param names names of enrichments
     * @param options the collection
     * @return the job
     */
    public JobHandle enrich(List<String> names, EnrichBody options) {
        Map<String, Object> body = new LinkedHashMap<>(options.values());
        body.put("enrichments", names);
        return new JobHandle(transport, one(new Call("POST", "/v1/enrichments").body(body).once(), Job.class));
    }

    /**
     * Set the subject of a collection; other questions are refused.
     *
     * @param collection name of the collection
     * @param subject the subject; null removes it
     * @return the collection and its subject
     */
    public CollectionSubject setSubject(String collection, String subject) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("subject", subject);
        Call call = new Call("PUT", "/v1/collections/{name}/subject").place("name", collection).body(body);
        return one(call, CollectionSubject.class);
    }

    /** List the retrieval pipelines. @return the pipelines */
    public List<Pipeline> pipelines() {
        return many(new Call("GET", "/v1/pipelines"), Pipeline[].class);
    }

    /**
     * Read a pipeline.
     *
     * @param name its name
     * @return the pipeline
     */
    public Pipeline pipeline(String name) {
        return one(new Call("GET", "/v1/pipelines/{name}").place("name", name), Pipeline.class);
    }

    /**
     * Run a read-only Cypher query.
     *
     * @param query one statement
     * @param parameters values by name
     * @param options most rows, and deadline
     * @return the rows
     */
    public CypherRows cypher(String query, Map<String, ?> parameters, CypherBody options) {
        CypherRows rows = one(cypherCall(query, parameters, options, "json"), CypherRows.class);
        if (rows.problem() != null) {
            throw Transport.error(Transport.JSON.valueToTree(rows.problem()), 200, null);
        }
        return rows;
    }

    /**
     * Run a read-only Cypher query for the distinct nodes and relationships in its rows.
     *
     * @param query one statement
     * @param parameters values by name
     * @param options most rows, and deadline
     * @return the graph
     */
    public CypherGraph cypherGraph(String query, Map<String, ?> parameters, CypherBody options) {
        return one(cypherCall(query, parameters, options, "graph"), CypherGraph.class);
    }

    /**
     * Run a GraphQL operation; its first error is thrown.
     *
     * @param query the operation
     * @param variables values by name
     * @return its data
     */
    public JsonNode graphql(String query, Map<String, ?> variables) {
        Map<String, Object> body = Map.of("query", query, "variables", variables);
        JsonNode read = object(transport.send(new Call("POST", "/graphql").body(body).once()));
        for (JsonNode error : read.path("errors")) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("detail", error.path("message").asText());
            error.path("extensions").properties().forEach(one -> told.put(one.getKey(), one.getValue()));
            throw Transport.error(Transport.JSON.valueToTree(told), 200, null);
        }
        return read.path("data");
    }

    /**
     * Send a request to any route; it is not repeated where its outcome is unknown.
     *
     * @param method method of HTTP
     * @param path path, such as /v1/papers
     * @param query parameters of the query string
     * @param body body as JSON; may be null
     * @return the answer as it arrived
     */
    public RawResponse raw(String method, String path, Map<String, ?> query, Object body) {
        Call call = new Call(method, path).body(body).once();
        query.forEach(call::query);
        return transport.send(call);
    }

    private static Call cypherCall(String query, Map<String, ?> parameters, CypherBody options, String format) {
        Map<String, Object> body = body("query", query, options);
        body.put("parameters", parameters);
        body.put("format", format);
        return new Call("POST", "/v1/cypher").body(body);
    }

    private static Call which(Call call, PapersOptions options) {
        options.values().forEach((name, value) ->
            call.query(name, name.equals("filter") ? Transport.JSON.valueToTree(value).toString() : value));
        return call;
    }

    private static Map<String, Object> body(String name, String text, Options<?> options) {
        Map<String, Object> body = new LinkedHashMap<>(options.values());
        body.put(name, text);
        return body;
    }

    private <T> Pages<T> pages(Call call, Class<T> model) {
        return new Pages<>(transport, call, model, 100);
    }

    private <T> T one(Call call, Class<T> model) {
        return Transport.JSON.convertValue(object(transport.send(call)), model);
    }

    private <T> List<T> many(Call call, Class<T[]> model) {
        return Arrays.asList(Transport.JSON.convertValue(object(transport.send(call)).path("data"), model));
    }

    private static JsonNode object(RawResponse answer) {
        JsonNode read = answer.json();
        if (!read.isObject()) {
            throw new UnexpectedAnswerException("The answer is no object of JSON.", answer.status(), read.asText());
        }
        return read;
    }
}
