// Addresses: every state of a page is in its address, by one table of parameters.
import { goto } from "$app/navigation";
import { base } from "$app/paths";

export type Filter = Record<string, unknown>;

export type SearchState = {
  q: string;
  collection: string;
  k: number;
  pipeline: string;
  /** Weight of relevance against redundancy; null leaves the selection to the pipeline. */
  alpha: number | null;
  from: number | null;
  to: number | null;
  authors: string[];
  kinds: string[];
  topics: string[];
  entities: string[];
  languages: string[];
  papers: string[];
  isFolded: boolean;
  why: number | null;
};

export const DEFAULT_COLLECTION = "main";

const LISTS = { author: "authors", kind: "kinds", topic: "topics", entity: "entities", language: "languages", paper: "papers" } as const;

function numberOf(text: string | null | undefined, low: number, high: number): number | null {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : null;
}

export function searchState(params: URLSearchParams): SearchState {
  const [from, to] = (params.get("year") ?? "").split("-");
  const year = (text: string | undefined) => numberOf(text, 0, 9999);
  const lists = Object.fromEntries(Object.entries(LISTS).map(([name, key]) => [key, params.getAll(name)]));
  return {
    q: params.get("q") ?? "",
    collection: params.get("in") ?? DEFAULT_COLLECTION,
    k: Math.round(numberOf(params.get("k"), 1, 100) ?? 10),
    pipeline: params.get("pipeline") ?? "default",
    alpha: numberOf(params.get("alpha"), 0, 1),
    from: year(from),
    to: to === undefined ? year(from) : year(to),
    isFolded: params.get("fold") !== "no",
    why: numberOf(params.get("why"), 1, 100),
    ...(lists as Record<(typeof LISTS)[keyof typeof LISTS], string[]>),
  };
}

export function searchParams(state: Partial<SearchState>): string {
  const params = new URLSearchParams();
  const put = (name: string, value: unknown, usual?: unknown) => {
    if (value !== undefined && value !== null && value !== "" && value !== usual) params.append(name, String(value));
  };
  put("q", state.q);
  put("in", state.collection, DEFAULT_COLLECTION);
  put("pipeline", state.pipeline, "default");
  put("k", state.k, 10);
  put("alpha", state.alpha);
  if (state.from != null || state.to != null) {
    params.append("year", state.from === state.to ? `${state.from}` : `${state.from ?? ""}-${state.to ?? ""}`);
  }
  for (const [name, key] of Object.entries(LISTS)) for (const value of state[key] ?? []) put(name, value);
  if (state.isFolded === false) put("fold", "no");
  put("why", state.why);
  return params.toString();
}

export function filterOf(state: SearchState): Filter | null {
  const filter: Filter = {};
  if (state.from != null || state.to != null) filter.years = { from: state.from, to: state.to };
  if (state.authors.length) filter.authors = state.authors;
  if (state.kinds.length) filter.kinds = state.kinds;
  if (state.entities.length) filter.entities = state.entities;
  if (state.languages.length) filter.languages = state.languages;
  if (state.papers.length) filter.papers = state.papers;
  if (state.topics.length) filter.clusters = state.topics.map((id) => ({ id }));
  return Object.keys(filter).length ? filter : null;
}

/** Parameters of the list of papers that hold several values, with the condition of a filter that each one is. */
export const PAPER_LISTS = { author: "authors", venue: "venues", keyword: "keywords", format: "formats", language: "languages", status: "status", tag: "tags", state: "states", marked: "marked" } as const;
export type PaperList = keyof typeof PAPER_LISTS;

/** Filter of papers that an address states. */
export function paperFilter(params: URLSearchParams): Filter | null {
  const filter: Filter = {};
  const { from, to } = searchState(params);
  if (from != null || to != null) filter.years = { from, to };
  for (const [name, condition] of Object.entries(PAPER_LISTS)) if (params.has(name)) filter[condition] = params.getAll(name);
  return Object.keys(filter).length ? filter : null;
}

/** The variables of a search, as GraphQL and, but for the case of names, REST have them. */
export function searchInput(state: SearchState): Record<string, unknown> {
  const { q, k, collection, pipeline, alpha } = state;
  const selection = alpha === null ? undefined : { k, alpha };
  const filter = filterOf(state) ?? undefined;
  return prune({ query: q, k, collection, pipeline, selection, filter });
}

function prune(object: Record<string, unknown>): Record<string, unknown> {
  const usual: Record<string, unknown> = { collection: DEFAULT_COLLECTION, pipeline: "default" };
  return Object.fromEntries(Object.entries(object).filter(([key, value]) => value !== undefined && usual[key] !== value));
}

/** Goes to an address of this site while the focus and the place on the page stay. */
export function replaceAddress(path: string, params: string, options: { isNew?: boolean } = {}): Promise<void> {
  const address = base + path + (params ? `?${params}` : "");
  return goto(address, { keepFocus: true, noScroll: true, replaceState: !options.isNew });
}

export function searchAddress(state: Partial<SearchState>): string {
  const params = searchParams(state);
  return `${base}/search${params ? `?${params}` : ""}`;
}

export function askAddress(question: string, collection: string): string {
  const params = new URLSearchParams();
  if (question) params.append("q", question);
  if (collection !== DEFAULT_COLLECTION) params.append("in", collection);
  return `${base}/ask${params.size ? `?${params}` : ""}`;
}

/** The address of a query in two pipelines side by side. */
export function compareAddress(query: string, collection: string): string {
  return searchAddress({ q: query, collection }).replace("/search", "/compare");
}

/** The address that shows a stored answer again. */
export const answerAddress = (id: string): string => `${base}/a/${id}`;

/** The address of the graph around a node. */
export const graphAddress = (id: string, collection = DEFAULT_COLLECTION): string =>
  `${base}/graph?node=${id}${collection === DEFAULT_COLLECTION ? "" : `&in=${encodeURIComponent(collection)}`}`;

/** The address of a paper, at a passage and at a quote within it, or at a highlight. */
export function paperAddress(id: string, at: { chunk?: string; start?: number; end?: number; note?: string; view?: string } = {}): string {
  const params = new URLSearchParams();
  if (at.chunk) params.append("at", at.chunk);
  if (at.note) params.append("note", at.note);
  if (at.start !== undefined) params.append("quote", `${at.start}-${at.end}`);
  if (at.view) params.append("view", at.view);
  return `${base}/p/${id}${params.size ? `?${params}` : ""}`;
}

/** Address of the picture of a caption. */
export const figureAddress = (chunk: string, width: 400 | 800 | 1200 | 1600) => `${base}/v1/chunks/${chunk}/figure.png?width=${width}`;
