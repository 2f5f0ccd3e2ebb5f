import { apiError, UnexpectedAnswerError } from "./errors.js";
import { type Call, RawResponse, type RequestOptions, Transport } from "./http.js";
import { AnswerStream, JobHandle, Pages } from "./lists.js";
import type {
  AnyNode,
  AskAnswer,
  AskOptions,
  Cluster,
  Collection,
  CollectionOptions,
  CollectionSubject,
  CollectionTextsOptions,
  CypherGraph,
  CypherOptions,
  CypherRows,
  DecidedAuthor,
  DecidedEntities,
  DeletedCollection,
  DeletedPaper,
  EditedPaper,
  OfferedEnrichment,
  EnrichmentEstimate,
  Entity,
  ExportFormat,
  Facet,
  FacetCounts,
  Filter,
  GraphPath,
  IngestionEstimate,
  Job,
  Neighbourhood,
  NodeLists,
  Paper,
  PaperEditOptions,
  PaperExport,
  PaperField,
  PaperMap,
  PaperSort,
  Pipeline,
  Question,
  Region,
  RelatedBy,
  RelatedPaper,
  ReviewedQuestion,
  SearchAnswer,
  SearchOptions,
  ServerInfo,
  Suggestion,
  Summary,
  SummaryOptions,
  UndoneDecisions,
  Upload,
  Viewer,
} from "./types.js";

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the server; by default PAPERGRAPH_URL, or http://127.0.0.1:8000; "" is the origin of the page. */
  url?: string;
  /** API key; by default PAPERGRAPH_API_KEY, or none. */
  key?: string;
  /** Milliseconds for the answer to one try, 60,000 by default; for a stream, the longest silence. */
  timeoutMs?: number;
  /** Most tries after the first; 2 by default. */
  maxRetries?: number;
  /** Function to send requests with, such as one with a proxy. */
  fetch?: typeof fetch;
}

/** Papers of a collection. */
export interface WhichPapers {
  collection?: string;
  /** Words in the title, the abstract or an author's name. */
  text?: string;
  /** Conditions, such as `{ years: { from: 2020 } }`. */
  filter?: Filter;
}

/** Options of a job. */
export interface JobOptions extends RequestOptions {
  collection?: string;
  /** A second call with the same key and sources opens no second job. */
  idempotencyKey?: string;
}

/** A file to upload: its name, whose ending is that of its format, and its content. */
export interface UploadFile {
  name: string;
  content: Blob | string | Uint8Array<ArrayBuffer>;
}

/** A client of a papergraph server. */
export class Papergraph {
  private readonly transport: Transport;

  /** Describe the server; nothing is sent. */
  constructor(options: ClientOptions = {}) {
    const env: Record<string, string | undefined> = (globalThis as any).process?.env ?? {};
    this.transport = new Transport({
      url: options.url ?? env.PAPERGRAPH_URL ?? "http://127.0.0.1:8000",
      key: options.key ?? env.PAPERGRAPH_API_KEY ?? null,
      timeoutMs: options.timeoutMs ?? 60_000,
      maxRetries: options.maxRetries ?? 2,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    });
  }

  /** Return a client with other options. */
  withOptions(options: ClientOptions): Papergraph {
    return new Papergraph({ ...this.transport.settings, key: this.transport.settings.key ?? undefined, ...options });
  }

  /** Return passages for a query, best first. */
  async search(query: string, options: SearchOptions & RequestOptions = {}): Promise<SearchAnswer> {
    const { signal, ...body } = options;
    return this.json({ method: "POST", path: "/v1/search", body: { query, ...body } }, { signal });
  }

  /** Return an answer with verified citations, or a refusal with its reason. */
  async ask(question: string, options: AskOptions & RequestOptions = {}): Promise<AskAnswer> {
    const { signal, ...body } = options;
    return this.json(asking({ question, ...body }), { signal });
  }

  /** Return an answer while it is written: iterate over its events. */
  askStream(question: string, options: AskOptions & RequestOptions = {}): AnswerStream {
    const { signal, ...body } = options;
    return new AnswerStream(this.transport.events(asking({ question, ...body, stream: true }), { signal }));
  }

  /** Return what the papers of a cluster, or those with metadata, are about as a group. */
  async summary(options: SummaryOptions & RequestOptions): Promise<Summary> {
    const { signal, ...body } = options;
    return this.json({ method: "POST", path: "/v1/summaries", body, repeatable: false }, { signal });
  }

  /** List the papers of a collection, by title or in another order. */
  papers(which: WhichPapers & { sort?: PaperSort } = {}, options: ListOptions = {}): Pages<Paper> {
    const query = { ...queryOf(which), sort: which.sort };
    return this.pages({ method: "GET", path: "/v1/papers", query }, options);
  }

  /** Return a paper by its id, or by a key: a DOI, an arXiv id or a stored key. */
  async paper(by: string | { key: string; collection?: string }, options: RequestOptions = {}): Promise<Paper> {
    if (typeof by === "string") {
      return this.json({ method: "GET", path: "/v1/papers/{id}", places: { id: by } }, options);
    }
    return this.json({ method: "GET", path: "/v1/papers/by-key", query: { ...by } }, options);
  }

  /** Delete a paper and its data. */
  async deletePaper(id: string, options: RequestOptions = {}): Promise<DeletedPaper> {
    return this.json({ method: "DELETE", path: "/v1/papers/{id}", places: { id }, repeatable: false }, options);
  }

  /** Return the fields of a paper, each with the source that states it. */
  async paperFields(id: string, options: RequestOptions = {}): Promise<PaperField[]> {
    return this.data({ method: "GET", path: "/v1/papers/{id}/fields", places: { id } }, options);
  }

  /** Set, empty or restore fields of a paper; edits have priority over all sources. */
  async editPaper(id: string, options: PaperEditOptions & RequestOptions): Promise<EditedPaper> {
    const { signal, ...body } = options;
    return this.json({ method: "PATCH", path: "/v1/papers/{id}", places: { id }, body }, { signal });
  }

  /** Return 1 to 100 papers as a bibliography, BibTeX by default, or at most 20 as a Markdown file each. */
  async exportPapers(ids: string[], options: { format?: ExportFormat } & RequestOptions = {}): Promise<PaperExport> {
    const query = { id: ids, format: options.format };
    return this.json({ method: "GET", path: "/v1/papers/export", query }, options);
  }

  /** Mark two authors as one person, who keeps the identity of the author `into`. */
  async mergeAuthors(id: string, into: string, options: RequestOptions = {}): Promise<DecidedAuthor> {
    const wanted: Call = { method: "POST", path: "/v1/authors/{id}/merge", places: { id }, body: { into } };
    return this.json({ ...wanted, repeatable: false }, options);
  }

  /** Mark the author of some papers, by ids, keys, DOIs or arXiv ids, as another person. */
  async splitAuthor(id: string, papers: string[], options: RequestOptions = {}): Promise<DecidedAuthor> {
    const wanted: Call = { method: "POST", path: "/v1/authors/{id}/split", places: { id }, body: { papers } };
    return this.json({ ...wanted, repeatable: false }, options);
  }

  /** Mark two entities as the same thing. */
  async mergeEntities(id: string, other: string, options: RequestOptions = {}): Promise<DecidedEntities> {
    return this.json({ method: "POST", path: "/v1/entities/{id}/merge", places: { id }, body: { other } }, options);
  }

  /** Mark two entities as different things. */
  async splitEntities(id: string, other: string, options: RequestOptions = {}): Promise<DecidedEntities> {
    return this.json({ method: "POST", path: "/v1/entities/{id}/split", places: { id }, body: { other } }, options);
  }

  /** Undo all merges and splits of an author. */
  async undoAuthor(id: string, options: RequestOptions = {}): Promise<UndoneDecisions> {
    return this.json({ method: "POST", path: "/v1/authors/{id}/undo", places: { id }, repeatable: false }, options);
  }

  /** Return a node of any kind with its label. */
  async node(id: string, options: RequestOptions = {}): Promise<AnyNode> {
    return this.json({ method: "GET", path: "/v1/nodes/{id}", places: { id } }, options);
  }

  /** Return nodes of any kind, null for unknown ids, in the order of at most 100 ids. */
  async nodes(ids: string[], options: RequestOptions = {}): Promise<Array<AnyNode | null>> {
    return this.data({ method: "GET", path: "/v1/nodes", query: { id: ids } }, options);
  }

  /** List nodes beside a node, such as `neighbours("papers/cites", id)`. */
  neighbours<K extends keyof NodeLists>(list: K, id: string, options: ListOptions = {}): Pages<NodeLists[K]> {
    const [kind, name] = list.split("/");
    return this.pages({ method: "GET", path: `/v1/${kind}/{id}/${name}`, places: { id } }, options);
  }

  /** Return the nodes around nodes, and counts of those left out. */
  async neighbourhood(
    ids: string[],
    options: { types?: string[]; perType?: number; limit?: number } & RequestOptions = {},
  ): Promise<Neighbourhood> {
    const query = { id: ids, type: options.types, perType: options.perType, first: options.limit };
    return this.json({ method: "GET", path: "/v1/neighbourhood", query }, options);
  }

  /** Return the map of a collection: places of its papers in two dimensions, and topics. */
  async map(options: { collection?: string; limit?: number } & RequestOptions = {}): Promise<PaperMap> {
    const query = { collection: options.collection, first: options.limit };
    return this.json({ method: "GET", path: "/v1/map", query }, options);
  }

  /** Return the rectangles of a chunk, or of characters of it, on the pages of its PDF. */
  async regions(id: string, options: { start?: number; end?: number } & RequestOptions = {}): Promise<Region[]> {
    const query = { start: options.start, end: options.end };
    return this.data({ method: "GET", path: "/v1/chunks/{id}/regions", places: { id }, query }, options);
  }

  /** Return the file that a paper was read from. */
  async file(id: string, options: RequestOptions = {}): Promise<RawResponse> {
    return this.transport.send({ method: "GET", path: "/v1/papers/{id}/file", places: { id } }, options);
  }

  /** Return the text of a paper as Markdown. */
  async markdown(id: string, options: RequestOptions = {}): Promise<string> {
    return (await this.transport.send({ method: "GET", path: "/v1/papers/{id}/text.md", places: { id } }, options)).text();
  }

  /** Return a page, from 1, of the PDF that a paper was read from, as PNG of 160, 400, 800, 1200 or 1600 pixels. */
  async pageImage(id: string, page: number, options: { width?: number } & RequestOptions = {}): Promise<RawResponse> {
    const [places, query] = [{ id, n: String(page) }, { width: options.width }];
    return this.transport.send({ method: "GET", path: "/v1/papers/{id}/pages/{n}.png", places, query }, options);
  }

  /** Return the picture of a caption, a chunk with `figure`, as PNG of 160, 400, 800, 1200 or 1600 pixels. */
  async figureImage(id: string, options: { width?: number } & RequestOptions = {}): Promise<RawResponse> {
    const query = { width: options.width };
    return this.transport.send({ method: "GET", path: "/v1/chunks/{id}/figure.png", places: { id }, query }, options);
  }

  /** Return how many papers have each value of some facets, the most frequent first; at most `limit` of each. */
  async facets(
    names: Facet[],
    options: WhichPapers & { limit?: number } & RequestOptions = {},
  ): Promise<FacetCounts[]> {
    const query = { facet: names, ...queryOf(options), first: options.limit };
    return this.data({ method: "GET", path: "/v1/papers/facets", query }, options);
  }

  /** Return papers, authors, entities and clusters whose names have the typed words. */
  async suggest(
    text: string,
    options: { collection?: string; limit?: number } & RequestOptions = {},
  ): Promise<Suggestion[]> {
    const query = { text, collection: options.collection, first: options.limit };
    return this.data({ method: "GET", path: "/v1/suggestions", query }, options);
  }

  /** Return what the server offers: models, uploads and limits. */
  async server(options: RequestOptions = {}): Promise<ServerInfo> {
    return this.json({ method: "GET", path: "/v1/server" }, options);
  }

  /** Return the scopes, collections and limits of the key. */
  async viewer(options: RequestOptions = {}): Promise<Viewer> {
    return this.json({ method: "GET", path: "/v1/viewer" }, options);
  }

  /** Return related papers, best first. */
  async related(id: string, options: { by?: RelatedBy; k?: number } & RequestOptions = {}): Promise<RelatedPaper[]> {
    const query = { by: options.by, first: options.k };
    return this.data({ method: "GET", path: "/v1/papers/{id}/related", places: { id }, query }, options);
  }

  /** Return a shortest path between two nodes, or null if none is short enough. */
  async path(from: string, to: string, options: { maxHops?: number } & RequestOptions = {}): Promise<GraphPath | null> {
    const query = { from, to, maxHops: options.maxHops };
    return (await this.json<{ path: GraphPath | null }>({ method: "GET", path: "/v1/path", query }, options)).path;
  }

  /** List entities by a text in their names, and by types. */
  entities(
    filter: { collection?: string; text?: string; types?: string[] } = {},
    options: ListOptions = {},
  ): Pages<Entity> {
    return this.pages({ method: "GET", path: "/v1/entities", query: filter }, options);
  }

  /** List clusters by kind (metadata, topic, community) and level. */
  clusters(
    filter: { collection?: string; kind?: string; level?: number; field?: string } = {},
    options: ListOptions = {},
  ): Pages<Cluster> {
    return this.pages({ method: "GET", path: "/v1/clusters", query: filter }, options);
  }

  /** List questions that papers answer, by generator and review. */
  questions(
    filter: { collection?: string; generator?: string; review?: string } = {},
    options: ListOptions = {},
  ): Pages<Question> {
    return this.pages({ method: "GET", path: "/v1/questions", query: filter }, options);
  }

  /** Accept, edit (with a text) or reject a question. */
  async reviewQuestion(
    id: string,
    decision: string,
    text: string | null = null,
    options: RequestOptions = {},
  ): Promise<ReviewedQuestion> {
    const body = { decision, text };
    return this.json({ method: "PUT", path: "/v1/questions/{id}/review", places: { id }, body }, options);
  }

  /** Upload files, and open a job for them and for sources: URLs, or `arxiv:ID`. */
  async ingest(sources: Array<string | UploadFile>, options: JobOptions = {}): Promise<JobHandle> {
    const { collection, idempotencyKey, ...others } = options;
    const names = sources.filter((one) => typeof one === "string");
    const uploads: string[] = [];
    for (const file of sources) if (typeof file !== "string") uploads.push((await this.upload(file, others)).id);
    const body = { sources: names, uploads, collection };
    const headers = { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() };
    return new JobHandle(this.transport, await this.json<Job>({ method: "POST", path: "/v1/jobs", body, headers }, others));
  }

  /** Return what a job for sources and ids of your uploads would take; nothing is written. */
  async estimateIngest(
    sources: string[],
    options: { uploads?: string[]; collection?: string } & RequestOptions = {},
  ): Promise<IngestionEstimate> {
    const { uploads = [], collection, ...others } = options;
    const body = { sources, uploads, collection };
    return this.json({ method: "POST", path: "/v1/jobs/estimate", body }, others);
  }

  /** Upload a file, for a job. */
  async upload(file: UploadFile, options: RequestOptions = {}): Promise<Upload> {
    const content = file.content instanceof Blob ? file.content : new Blob([file.content]);
    const wanted = { name: file.name, content };
    return this.json({ method: "POST", path: "/v1/uploads", file: wanted, repeatable: false }, options);
  }

  /** Return your uploads, newest first. */
  async uploads(options: RequestOptions = {}): Promise<Upload[]> {
    return this.data({ method: "GET", path: "/v1/uploads" }, options);
  }

  /** Return one of your uploads. */
  async getUpload(id: string, options: RequestOptions = {}): Promise<Upload> {
    return this.json({ method: "GET", path: "/v1/uploads/{id}", places: { id } }, options);
  }

  /** Delete one of your uploads. */
  async deleteUpload(id: string, options: RequestOptions = {}): Promise<void> {
    const wanted: Call = { method: "DELETE", path: "/v1/uploads/{id}", places: { id }, repeatable: false };
    await this.transport.send(wanted, options);
  }

  /** List jobs, newest first. */
  jobs(options: ListOptions = {}): Pages<Job> {
    return this.pages({ method: "GET", path: "/v1/jobs" }, options);
  }

  /** Return a job by its id. */
  async job(id: string, options: RequestOptions = {}): Promise<JobHandle> {
    const wanted: Call = { method: "GET", path: "/v1/jobs/{id}", places: { id } };
    return new JobHandle(this.transport, await this.json<Job>(wanted, options));
  }

  /** Return the collections with their counts. */
  async collections(options: RequestOptions = {}): Promise<Collection[]> {
    return this.data({ method: "GET", path: "/v1/collections" }, options);
  }

  /** Create an empty collection. */
  async createCollection(name: string, options: CollectionOptions & RequestOptions = {}): Promise<Collection> {
    const { signal, ...texts } = options;
    const body = { name, ...texts };
    return this.json({ method: "POST", path: "/v1/collections", body, repeatable: false }, { signal });
  }

  /** Change the title or the description of a collection. */
  async describeCollection(name: string, options: CollectionTextsOptions & RequestOptions): Promise<Collection> {
    const { signal, ...body } = options;
    return this.json({ method: "PATCH", path: "/v1/collections/{name}", places: { name }, body }, { signal });
  }

  /** Delete a collection with all its data; a large one takes several requests. */
  async deleteCollection(name: string, options: RequestOptions = {}): Promise<DeletedCollection> {
    const wanted: Call = { method: "DELETE", path: "/v1/collections/{name}", places: { name }, repeatable: false };
    for (let nDeleted = 0; ; ) {
      const done = await this.json<DeletedCollection>(wanted, options);
      nDeleted += done.nDeleted;
      if (done.nLeft === 0) return { ...done, nDeleted };
    }
  }

  /** Return the enrichments that papers can be given, and what is missing for them. */
  async enrichments(options: RequestOptions = {}): Promise<OfferedEnrichment[]> {
    return this.data({ method: "GET", path: "/v1/enrichments" }, options);
  }

  /** Return what enrichments would take; without names, what all would. */
  async estimateEnrichments(
    names: string[] = [],
    options: { collection?: string } & RequestOptions = {},
  ): Promise<EnrichmentEstimate> {
    const query = { enrichments: names, collection: options.collection };
    return this.json({ method: "GET", path: "/v1/enrichments/estimate", query }, options);
  }

  /** Open a job that gives papers the enrichments that they lack. */
  async enrich(names: string[], options: { collection?: string } & RequestOptions = {}): Promise<JobHandle> {
    const body = { enrichments: names, collection: options.collection };
    const wanted: Call = { method: "POST", path: "/v1/enrichments", body, repeatable: false };
    return new JobHandle(this.transport, await this.json<Job>(wanted, options));
  }

  /** Set the subject of a collection, or remove it with null; other questions are refused. */
  async setSubject(
    collection: string,
    subject: string | null,
    options: RequestOptions = {},
  ): Promise<CollectionSubject> {
    const places = { name: collection };
    return this.json({ method: "PUT", path: "/v1/collections/{name}/subject", places, body: { subject } }, options);
  }

  /** Return the retrieval pipelines. */
  async pipelines(options: RequestOptions = {}): Promise<Pipeline[]> {
    return this.data({ method: "GET", path: "/v1/pipelines" }, options);
  }

  /** Return a pipeline by name. */
  async pipeline(name: string, options: RequestOptions = {}): Promise<Pipeline> {
    return this.json({ method: "GET", path: "/v1/pipelines/{name}", places: { name } }, options);
  }

  /** Return the rows of a read-only Cypher query. */
  async cypher(
    query: string,
    parameters: Record<string, unknown> = {},
    options: CypherOptions & RequestOptions = {},
  ): Promise<CypherRows> {
    const { signal, ...others } = options;
    const body = { query, parameters, ...others };
    const rows = await this.json<CypherRows>({ method: "POST", path: "/v1/cypher", body }, { signal });
    if (rows.problem != null) throw apiError(rows.problem, 200);
    return rows;
  }

  /** Return the distinct nodes and relationships in the rows of a query. */
  async cypherGraph(
    query: string,
    parameters: Record<string, unknown> = {},
    options: CypherOptions & RequestOptions = {},
  ): Promise<CypherGraph> {
    const { signal, ...others } = options;
    const body = { query, parameters, format: "graph", ...others };
    return this.json({ method: "POST", path: "/v1/cypher", body }, { signal });
  }

  /** Return the data of a GraphQL operation, or throw its first error. */
  async graphql<T = Record<string, unknown>>(
    query: string,
    variables: Record<string, unknown> = {},
    options: RequestOptions = {},
  ): Promise<T> {
    const body = { query, variables };
    const wanted: Call = { method: "POST", path: "/graphql", body, repeatable: false };
    const read = await this.json<{ data: T; errors?: Array<Record<string, any>> }>(wanted, options);
    const error = read.errors?.[0];
    if (error) throw apiError({ detail: error.message, ...error.extensions }, 200);
    return read.data;
  }

  /** Send a request to any route, and return its answer as it arrived; set `repeatable` where a repetition is harmless. */
  async raw(
    method: string,
    path: string,
    wanted: { query?: Record<string, unknown>; body?: unknown; repeatable?: boolean } & RequestOptions = {},
  ): Promise<RawResponse> {
    const { signal, ...others } = wanted;
    return this.transport.send({ repeatable: false, ...others, method, path }, { signal });
  }

  private pages<T>(call: Call, options: ListOptions): Pages<T> {
    return new Pages<T>(this.transport, call, options, options.first);
  }

  private async data<T>(call: Call, options: RequestOptions): Promise<T> {
    return (await this.json<{ data: T }>(call, options)).data;
  }

  private async json<T>(call: Call, options: RequestOptions): Promise<T> {
    const answer = await this.transport.send(call, options);
    const read: unknown = answer.json();
    if (typeof read === "object" && read !== null) return read as T;
    throw new UnexpectedAnswerError("The answer is no object of JSON.", answer.status, answer.text().slice(0, 500));
  }
}

/** Options of a list. */
export interface ListOptions extends RequestOptions {
  /** Entries per page, 1 to 100. */
  first?: number;
}

/** Return rows as objects by column. */
export function rowObjects(rows: CypherRows): Array<Record<string, unknown>> {
  return rows.rows.map((row) => Object.fromEntries(rows.columns.map((column, place) => [column, row[place]])));
}

/** Return the address of a paper, at the page of a passage if it is known. */
export function linkOf(hit: SearchAnswer["hits"][number]): string | null {
  const { url } = hit.paper;
  return url === null || hit.chunk.startPage === null ? url : `${url}#page=${hit.chunk.startPage}`;
}

/** Return the parameters that choose papers; a filter is JSON. */
function queryOf({ collection, text, filter }: WhichPapers): Record<string, unknown> {
  return { collection, text, filter: filter && JSON.stringify(filter) };
}

/** Make the call of a question; it may cost money, so it is sent again only where nothing was done. */
function asking(body: Record<string, unknown>): Call {
  return { method: "POST", path: "/v1/ask", body, repeatable: false };
}
