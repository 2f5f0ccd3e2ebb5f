// Written by python -m scripts.sdk from schema/openapi.json.

/** Kind of an annotation. */
export type AnnotationKind = "tag" | "note" | "star" | "state" | "highlight" | (string & {});

/** What fills a column: rules, a language model, or only people. */
export type AnsweredBy = "rules" | "model" | "person" | (string & {});

/** What a person does with a cell; set and accept lock it, withdraw unlocks it. */
export type CellAction = "accept" | "reject" | "set" | "withdraw" | (string & {});

/** State of a cell; unchecked: the paper has no text, or a person rejected its value. */
export type CellState = "value" | "not_reported" | "contradicts" | "unchecked" | (string & {});

/** Change of a section. */
export type Change = "added" | "removed" | "renamed" | "changed" | (string & {});

/** Colour of a highlight. */
export type Colour = "yellow" | "green" | "blue" | "pink" | "purple" | (string & {});

/** Decision about a question. */
export type Decision = "accepted" | "edited" | "rejected" | (string & {});

/** Direction of a relationship: away from the node before it, or towards that node. */
export type Direction = "outgoing" | "incoming" | (string & {});

/** Result for a citation: what the cited paper says of the sentence. */
export type DraftVerdict = "supported" | "partly" | "contradicts" | "not_said" | "unchecked" | "suggested" | (string & {});

/** Format of exported papers. */
export type ExportFormat = "md" | "bibtex" | "csl-json" | "ris" | "text" | (string & {});

/** A respect in which papers are counted. */
export type Facet = "year" | "category" | "language" | "author" | "format" | "venue" | "keyword" | "entity" | "cluster" | (string & {});

/** Reason why generated text was dropped. */
export type Fault = "no_such_source" | "not_in_source" | "not_supported" | "no_citation" | "denied" | "instruction" | "address" | (string & {});

/** Form of the objective: how relevance and redundancy are weighed. */
export type Form = "mean" | "pairs" | (string & {});

/** Kind of a highlight: a word of the query, or the best sentence of the passage. */
export type HighlightKind = "term" | "best_sentence" | (string & {});

/** State of an item: ``rejected`` returns if another source finds it, ``never`` does not. */
export type InboxState = "new" | "accepted" | "rejected" | "never" | (string & {});

/** Kind of a job: documents to ingest, papers to enrich, or cells of an evidence table. */
export type JobKind = "documents" | "enrichments" | "tables" | (string & {});

/** State of a job; a paused job waits until it is resumed. */
export type JobState = "queued" | "running" | "paused" | "done" | "cancelled" | (string & {});

/** Scopes of keys. */
export type KeyScope = "read" | "ask" | "ingest" | "cypher" | "admin" | (string & {});

/** Type of relationship that a neighbourhood follows, as the graph names it. */
export type LinkType = "WROTE" | "CITES" | "HAS_SECTION" | "HAS_CHUNK" | "HAS_REFERENCE" | "CITES_REFERENCE" | "ANSWERED_BY" | "MENTIONS" | "RELATED_TO" | "SAME_AS" | "SIMILAR" | "IN_CLUSTER" | "PARENT_OF" | (string & {});

/** Method that gave the places of a map: UMAP by the enrichment, or principal components. */
export type MapMethod = "umap" | "pca" | (string & {});

/** Writer: a language model if available (auto), always one, or sentences of the papers (extractive). */
export type Mode = "auto" | "generative" | "extractive" | (string & {});

/** Width of an image, in pixels: a closed list, so that few images of a page are kept. */
export type PageWidth = "160" | "400" | "800" | "1200" | "1600" | (string & {});

/** Order of papers: by title, newest year first, newest in the graph first, or most cited in the collection. */
export type PaperSort = "title" | "year" | "ingested" | "cited" | (string & {});

/** Provider of a source's fields, the most trusted first. */
export type Provider = "person" | "publisher" | "arxiv" | "document" | (string & {});

/** Kind of a quote. */
export type QuoteKind = "answer" | "highlight" | (string & {});

/** Form of the passages for a language model; each is a prompt of that name, which a user can replace. */
export type Reader = "passages" | "questions" | "pages" | "topic" | (string & {});

/** Reason of a refusal. */
export type Reason = "no_evidence" | "out_of_scope" | "unchecked" | "model_unavailable" | (string & {});

/** Result of the check of an entry. */
export type ReferenceVerdict = "exists" | "mismatch" | "title_found" | "not_found" | "unchecked" | (string & {});

/** Relation between papers: vectors, shared entities, shared clusters, or citations. */
export type RelatedBy = "vectors" | "entities" | "clusters" | "citations" | (string & {});

/** Retriever. */
export type RetrieverName = "vector" | "fulltext" | "question" | "prototype" | "name" | "entity" | "cluster" | "citation" | "pagerank" | (string & {});

/** Roles in a collection; each includes those before it. */
export type Role = "read" | "annotate" | "edit" | "administer" | (string & {});

/** Order of open records: likeliest inclusions, least certain ones, or random. */
export type ScreeningOrder = "likely" | "uncertain" | "random" | (string & {});

/** Stages of screening: title and abstract, then the full text of what was included. */
export type ScreeningStage = "abstract" | "text" | (string & {});

/** State of a record at a stage; conflict: raters disagree, or one is unsure, and nobody resolved it. */
export type ScreeningState = "open" | "conflict" | "included" | "excluded" | (string & {});

/** Decision of a rater; open withdraws it. */
export type ScreeningVerdict = "include" | "exclude" | "maybe" | "open" | (string & {});

/** Last stage of the solver before the proof or the deadline. */
export type Stage = "greedy" | "certificate" | "tabu" | "branch and bound" | (string & {});

/** Editorial status of a paper, by its notices. */
export type Status = "retracted" | "concern" | "corrected" | "reinstated" | (string & {});

/** Generator of summaries: a language model, or a choice of central sentences. */
export type SummaryGenerator = "model" | "extractive" | (string & {});

/** State of a task. */
export type TaskState = "queued" | "stored" | "running" | "done" | "failed" | "quarantined" | "cancelled" | (string & {});

/** Rating of an answer. */
export type Verdict = "up" | "down" | (string & {});

/** Reason for which a job needs attention; worker: no process works on jobs. */
export type WaitsFor = "worker" | (string & {});

/** Agreement of the first two raters of records, with 95 % intervals. */
export interface Agreement {
  /** Gwet's AC1, which rare inclusions do not distort. */
  ac1: number | null;
  /** Upper end. */
  ac1High: number | null;
  /** Lower end of its interval. */
  ac1Low: number | null;
  /** Cohen's kappa; null if all decisions are of one kind. */
  kappa: number | null;
  /** Upper end. */
  kappaHigh: number | null;
  /** Lower end of its interval. */
  kappaLow: number | null;
  /** Number of records that both decided. */
  n: number;
  /** Number of those with equal decisions. */
  nAgreed: number;
}

/** What a reader added to a paper: a tag, a note, a star, a reading state or a highlight with a comment. */
export interface Annotation {
  /** Name of the key that made it, if any. */
  author: string | null;
  /** Rectangles of a highlight: page, left, upper, right and lower edge, as shares of the page. */
  boxes: Array<Array<number>>;
  /** True if the caller may change it. */
  canChange: boolean;
  /** Time of its last change. */
  changedAt: string;
  /** Collection of the paper. */
  collection: string;
  /** Colour of a highlight. */
  colour: Colour | null;
  /** Time when it was made. */
  createdAt: string;
  /** Character after the last one. */
  endChar: number | null;
  /** Id of the annotation. */
  id: string;
  /** True if the caller made it. */
  isMine: boolean;
  /** True for a highlight whose words are no longer in the paper. */
  isOrphan: boolean;
  /** Kind of the annotation. */
  kind: AnnotationKind;
  /** Id of the paper. */
  paperId: string;
  /** Its deciding notice, as: status | day | source | DOI of the notice | reason. */
  paperNotice: string | null;
  /** Editorial status of the paper now: retracted, concern, corrected or reinstated. */
  paperStatus: string | null;
  /** Title of the paper. */
  paperTitle: string;
  /** Words before the marked ones. */
  prefix: string | null;
  /** Marked words of a highlight. */
  quote: string | null;
  /** True if everybody who reads the collection sees it. */
  shared: boolean;
  /** First character in the text of the paper; null if it lacks the words. */
  startChar: number | null;
  /** Words after the marked ones. */
  suffix: string | null;
  /** Name of a tag, text of a note, comment of a highlight, or reading state. */
  text: string;
}

/** Change of an annotation; null leaves a value as it is. */
export interface AnnotationChangeOptions {
  /** New colour of a highlight. */
  colour?: Colour | null;
  /** changedAt as the caller read it; a later change is a conflict then. */
  seen?: string | null;
  /** True to share it, false to make it private. */
  shared?: boolean | null;
  /** New text. */
  text?: string | null;
}

/** Answer of one pipeline and reader, with the figures that it is compared by. */
export interface AnswerAttempt {
  /** Share of the written sentences that was accepted, 0 to 1. */
  accepted: number;
  /** Estimated probability that the passages hold an answer, 0 to 1. */
  answerability: number | null;
  /** Citations of the text, in its order. */
  citations: Array<AnswerCitation>;
  /** Number of sentences that failed verification. */
  droppedSentences: number;
  /** Number of sentences with an accepted citation. */
  groundedSentences: number;
  /** True if a language model wrote the text. */
  llmGenerated: boolean;
  /** Reason of a refusal as text. */
  message: string | null;
  /** Name of the pipeline. */
  pipeline: string;
  /** Input of the language model. */
  reader: Reader;
  /** Reason of a refusal. */
  reason: Reason | null;
  /** Sentences, each with its citations [n]; null for a refusal. */
  text: string | null;
  /** Language model usage of this attempt. */
  usage: ModelUsage;
}

/** Quote that occurs verbatim in a chunk. */
export interface AnswerCitation {
  /** Character after [number] in the text of the answer. */
  answerEnd: number;
  /** Start of [number] in the text of the answer. */
  answerStart: number;
  /** Id of the chunk. */
  chunkId: string;
  /** Character after the cited sentence. */
  claimEnd: number;
  /** Start of the cited sentence. */
  claimStart: number;
  /** Character after the quote in the text of the chunk. */
  end: number;
  /** Name of the file that the paper was read from. */
  file: string | null;
  /** Number of the source; [number] marks it in the answer. */
  number: number;
  /** Page of the quote, from 1, if there are pages. */
  page: number | null;
  /** Id of the paper. */
  paperId: string;
  /** Editorial status of the paper now: retracted, concern, corrected or reinstated. */
  paperStatus: string | null;
  /** Title of the paper. */
  paperTitle: string;
  /** The words of the chunk. */
  quote: string;
  /** True if the cited sentence stands in the paper word for word; otherwise the quote supports it. */
  quoted: boolean;
  /** Headings above the quote, outermost first. */
  sectionPath: Array<string>;
  /** Start of the quote in the text of the chunk, in characters. */
  start: number;
  /** Address of the paper, if known. */
  url: string | null;
}

/** Rating of a stored answer by a reader. */
export interface AnswerRating {
  /** Reason in words; may be empty. */
  comment: string;
  /** Time of the rating. */
  ratedAt: string;
  /** Good or bad. */
  verdict: Verdict;
}

/** A stored answer, and what became of its quotes. */
export interface AnswerState {
  /** Question as it was asked. */
  asked: string;
  /** Time of the answer. */
  askedAt: string;
  /** Id of the answer. */
  id: string;
  /** True if the papers did not answer. */
  isRefusal: boolean;
  /** Quotes that their paper no longer has, because it changed or was deleted. */
  nLost: number;
  /** Number of different quotes. */
  nQuotes: number;
  /** Editorial statuses of the quoted papers, such as retracted. */
  statuses: Array<string>;
}

/** API key without its secret. */
export interface ApiKey {
  /** Collections of the key; null for all. */
  collections: Array<string> | null;
  /** Tokens per day of all keys of its invitation together; null for no such limit. */
  commonTokensPerDay: number | null;
  /** Limit of its own; null for that of the server. */
  costPerMinute: number | null;
  /** Time of the creation. */
  createdAt: string;
  /** Ids of the keys that it was made with, from the first one. */
  creators: Array<string>;
  /** End of the validity; null for none. */
  expiresAt: string | null;
  /** Part of the key that is no secret. */
  id: string;
  /** Time of the last use, to the minute. */
  lastUsedAt: string | null;
  /** Use of the key. */
  name: string;
  /** Limit of its own; null for that of the server. */
  requestsPerMinute: number | null;
  /** Time of the revocation, if any. */
  revokedAt: string | null;
  /** Roles of its account, by collection. */
  roles: Array<CollectionRole>;
  /** Scopes of the key. */
  scopes: Array<KeyScope>;
  /** Id of the invitation that it was signed up with; null for other keys. */
  signedUpBy: string | null;
  /** State of the key. */
  state: "valid" | "expired" | "revoked" | (string & {});
}

/** Applied filter. */
export interface AppliedFilter {
  /** Summary of the filter. */
  filter: string;
  /** Numbers of passing papers and chunks, and passing kinds. */
  matchSummary: string;
  /** Values without a match in the collections, such as "authors 'Ada Lovelace'"; they let nothing pass. For years, the number of papers without one. */
  unknown: Array<string>;
}

/** Answer or refusal. */
export interface AskAnswer {
  /** Answerability: estimated probability that the passages hold an answer, 0 to 1. */
  answerability: number | null;
  /** Answers of all pipelines and readers, the best first, which is this one; empty if there were not several. */
  attempts: Array<AnswerAttempt>;
  /** The citations, in the order of the text. */
  citations: Array<AnswerCitation>;
  /** Generated text that failed verification. */
  dropped: Array<DroppedText>;
  /** True if all generated text passed verification; false for a refusal. */
  grounded: boolean;
  /** Id of this answer or refusal. */
  id: string;
  /** An answer, or a refusal. */
  kind: "answer" | "refusal" | (string & {});
  /** True if a language model wrote the answer. */
  llmGenerated: boolean;
  /** Reason of a refusal as text. */
  message: string | null;
  /** Name of the language model, if one wrote the answer. */
  model: string | null;
  /** Query over the graph, if it answered instead of passages. */
  namedQuery: NamedAnswer | null;
  /** Question as it was searched for, completed from the history. */
  question: string;
  /** Reason of a refusal. */
  reason: Reason | null;
  /** Sources of the answer; for a refusal, the nearest passages. */
  sources: Array<Source>;
  /** Sentences, each with its citations `[n]`; null for a refusal. */
  text: string | null;
  /** Tokens and cost of the language model for the answer. */
  usage: ModelUsage;
  /** Warnings about degraded steps. */
  warnings: Array<string>;
}

/** Question and answer options. */
export interface AskOptions {
  /** Fill the list from outside the filter if too few hits pass. */
  backfill?: boolean;
  /** Collection to read; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Collections to search together, at most 8, instead of one. */
  collections?: Array<string> | null;
  /** Filter on papers and passages; see docs/filters.md. */
  filter?: Filter | null;
  /** Earlier turns; they complete the question. */
  history?: Array<Turn>;
  /** Language, length and tone of the answer, in words; other instructions are ignored and reported. */
  instructions?: string;
  /** Number of passages to answer from, 1 to 100. */
  k?: number | null;
  /** Minimum answerability (0 to 1); below it the question is refused. */
  minAnswerability?: number;
  /** Writer of the answer; auto: a language model if there is one, generative: always one, extractive: sentences of the papers. */
  mode?: Mode;
  /** Other values for options of pipeline steps, such as search.k, or fuse2.by for the second fuse. */
  overrides?: Record<string, unknown>;
  /** Retrieval pipeline, by name. */
  pipeline?: string;
  /** Several pipelines instead of one: each answers, and the best answer is returned. */
  pipelines?: Array<string> | null;
  /** Input of the language model; default: the reader of the pipeline. */
  reader?: Reader | null;
  /** Several readers instead of one, for each pipeline; at most 4 answers in all. */
  readers?: Array<Reader> | null;
  /** Complete the question from the history, with a language model, or by rules without one. */
  rewrite?: boolean;
  /** Selection after the pipeline, or instead of its own. */
  selection?: Selection | null;
  /** Store the answer, to read it by its id. */
  store?: boolean;
  /** Maximum tokens of all passages together, also for a selection. */
  tokenBudget?: number;
}

/** Executed query. */
export interface AskedQuery {
  /** Origin: query, rewrite, parts, feedback, …. */
  origin: string;
  /** Text of the query. */
  text: string;
}

/** Author of papers of a collection. */
export interface Author {
  /** Collection of the papers. */
  collection: string;
  /** sha-256 hex of collection and key. */
  id: string;
  /** Name as the papers print it. */
  name: string;
}

/** Bibliography of up to 100 entries. */
export interface BibliographyToCheckOptions {
  /** Name of its file, whose ending tells the format: .bib, .ris, .json (CSL), .enw, .nbib or .csv. */
  name?: string;
}

/** A quote that the present text of its paper lacks. */
export interface BrokenQuote {
  /** Question of the answer, or comment of the highlight; may be empty. */
  about: string;
  /** Id of the stored answer or highlight. */
  id: string;
  /** answer (a stored answer) or highlight. */
  kind: QuoteKind;
  /** Id of the paper. */
  paperId: string;
  /** Title of the paper. */
  paperTitle: string;
  /** The missing words. */
  quote: string;
}

/** Record of a screening, as a rater may see it. */
export interface Candidate {
  /** Abstract, of the record or one that repeats it; may be empty. */
  abstract: string;
  /** arXiv id without version. */
  arxivId: string | null;
  /** Names in order. */
  authors: Array<string>;
  /** Decisions at the stage that the caller may see. */
  decisions: Array<RaterDecision>;
  /** DOI in lower case. */
  doi: string | null;
  /** Id of the record. */
  id: string;
  /** Place of publication. */
  journalRef: string | null;
  /** Id of the paper of the collection with its DOI, if any. */
  paperId: string | null;
  /** Id at PubMed. */
  pmid: string | null;
  /** Reason of its exclusion; may be empty. */
  reason: string;
  /** How likely it is included, in [0, 1]; null before both kinds exist. */
  score: number | null;
  /** Databases that have it, by name. */
  sources: Array<string>;
  /** State at the stage: open, conflict, included or excluded. */
  state: ScreeningState;
  /** Title; may be empty. */
  title: string;
  /** Page about it. */
  url: string | null;
  /** Words that moved the score most, each as +word or -word. */
  words: Array<string>;
  /** Year of publication. */
  year: number | null;
}

/** Cell whose value differs between two times. */
export interface CellChange {
  /** Value at the second time. */
  after: string;
  /** Value at the first time. */
  before: string;
  /** Name of the column. */
  column: string;
  /** Maker of the later one. */
  maker: string;
  /** Id of the paper. */
  paperId: string;
  /** State at the second time; empty for none. */
  stateAfter: string;
  /** State at the first time; empty for none. */
  stateBefore: string;
  /** Title of the paper. */
  title: string;
}

/** A person's decision about a cell. */
export interface CellEditOptions {
  /** accept, reject, set or withdraw. */
  action?: CellAction;
  /** Collection; default: main. */
  collection?: string | null;
  /** Remark. */
  note?: string;
  /** 1 to 3 quotes of the paper; default: those of the machine. */
  quotes?: Array<string>;
  /** State to set instead of a value: not_reported. */
  state?: CellState | null;
  /** Value to set; null with a state. */
  value?: string | null;
}

/** Quote of a paper that proves a cell. */
export interface CellQuote {
  /** Rectangles on the pages: page, left, upper, right and lower edge, as shares of the page. */
  boxes: Array<Array<number>>;
  /** Id of the chunk that has the words. */
  chunkId: string;
  /** Character after the last one. */
  endChar: number;
  /** Names of the table's columns, for a row of a table. */
  head: Array<string>;
  /** table, caption, equation, or the kind of the section. */
  kind: string;
  /** Page, from 1, if there are pages. */
  page: number | null;
  /** Headings above the words. */
  section: string;
  /** First character in the source text. */
  startChar: number;
  /** Words of the paper, letter by letter. */
  text: string;
}

/** Entry of a bibliography with the result of its check. */
export interface CheckedReference {
  /** Day of the deciding notice. */
  date: string | null;
  /** Reason in words; may be empty. */
  detail: string;
  /** DOI of the entry. */
  doi: string | null;
  /** DOI of the work that was found. */
  foundDoi: string | null;
  /** Title of the work that was found. */
  foundTitle: string | null;
  /** Citation key; may be empty. */
  key: string;
  /** Line of the entry in the file, from 1. */
  line: number;
  /** Id of the paper in the collection, if it is there. */
  paperId: string | null;
  /** retracted, concern, corrected or reinstated, if a notice is known. */
  status: string | null;
  /** Title, as the entry states it. */
  title: string;
  /** exists: the DOI or arXiv id is of a work with this title; mismatch: of another title; title_found: a work with this title has another DOI or the entry none; not_found; unchecked: nothing could be asked. */
  verdict: ReferenceVerdict;
}

/** Chunk of the text of a section. */
export interface Chunk {
  /** Collection of the paper. */
  collection: string;
  /** Character after the last one in the source text. */
  endChar: number;
  /** Last page, if there are pages. */
  endPage: number | null;
  /** Place of the picture of a caption in a PDF: page from 1, then left, upper, right and lower edge as shares of the page; empty without one. */
  figure: Array<number>;
  /** sha-256 hex of section and place. */
  id: string;
  /** table, equation, caption or parent; for running text, the kind of its section. */
  kind: string;
  /** Level in a hierarchy of chunks; 0 is the finest. */
  level: number;
  /** Length in tokens of the embedding model. */
  nTokens: number;
  /** Position within the paper, from 0. */
  ordinal: number;
  /** Id of the paper. */
  paperId: string;
  /** Id of the section. */
  sectionId: string;
  /** First character in the source text, from 0. */
  startChar: number;
  /** First page, from 1, if there are pages. */
  startPage: number | null;
  /** Text of the chunk. */
  text: string;
}

/** A chunk that mentions an entity. */
export interface ChunkMention {
  /** The chunk. */
  chunk: Chunk;
  /** Extractor of the mention. */
  extractor: string;
  /** Spellings in the chunk. */
  names: Array<string>;
  /** Offsets of the mentions in the text, from 0. */
  offsets: Array<number>;
}

/** Options of chunking; null values are the chunker's own. */
export interface Chunking {
  /** Let chunks run on over headings. */
  acrossHeadings?: boolean | null;
  /** Name of the chunker; see docs/ingestion.md. */
  chunker?: string;
  /** Skip references and appendices. */
  dropBackMatter?: boolean;
  /** Embed the parents of a hierarchy too. */
  embedParents?: boolean;
  /** Embed [URL] in place of URLs. */
  maskUrls?: boolean;
  /** Maximum characters of a chunk. */
  maxChars?: number | null;
  /** Maximum tokens of a chunk. */
  maxTokens?: number | null;
  /** Overlap of consecutive chunks, in the unit of the chunker. */
  overlap?: number | null;
  /** Remove full stops at the start of chunks. */
  trimStops?: boolean;
}

/** Cluster of papers or passages. */
export interface Cluster {
  /** Collection of the papers. */
  collection: string;
  /** Metadata field, such as task. */
  field: string | null;
  /** sha-256 hex of collection, kind and members. */
  id: string;
  /** Distinctive terms, strongest first. */
  keywords: Array<string>;
  /** metadata (papers with one value), topic (similar chunks) or community (linked papers). */
  kind: string;
  /** Level in the hierarchy; 0 is the finest. */
  level: number;
  /** Number of papers or chunks, including those of subclusters. */
  nMembers: number;
  /** Metadata value, or distinctive terms. */
  name: string;
  /** Metadata value. */
  value: string | null;
}

/** Collection with its counts. */
export interface Collection {
  /** Use of the collection, if described. */
  description: string | null;
  /** Time of the last write of a paper; of an empty collection, its creation. */
  ingestedAt: string;
  /** Warnings that searches may miss papers, one for each unsupported language. */
  languageWarnings: Array<string>;
  /** Number of authors. */
  nAuthors: number;
  /** Number of chunks. */
  nChunks: number;
  /** Number of clusters. */
  nClusters: number;
  /** Number of entities. */
  nEntities: number;
  /** Number of papers. */
  nPapers: number;
  /** Number of questions. */
  nQuestions: number;
  /** Number of references. */
  nReferences: number;
  /** Number of sections. */
  nSections: number;
  /** Name of the collection. */
  name: string;
  /** Subject of its papers, if set. */
  subject: string | null;
  /** Title for people; by default the name. */
  title: string;
}

/** Collection to create. */
export interface CollectionOptions {
  /** Use of the collection; empty for none. */
  description?: string | null;
  /** Title for people; empty for the name. */
  title?: string | null;
}

/** Role of an account in a collection. */
export interface CollectionRole {
  /** Name of the collection. */
  collection: string;
  /** Role, which decides there instead of the scopes. */
  role: Role;
}

/** Subject of the papers of a collection. */
export interface CollectionSubject {
  collection: string;
  subject: string | null;
}

/** Title and description of a collection; what is left out stays as it is. */
export interface CollectionTextsOptions {
  /** Use of the collection; empty for none. */
  description?: string | null;
  /** Title for people; empty for the name. */
  title?: string | null;
}

/** Column of an evidence table. */
export interface Column {
  /** What fills the column: rules, model or person. */
  answeredBy?: AnsweredBy;
  /** Choices of the type choice, each with its synonyms as: name: word, word. */
  choices?: Array<string>;
  /** Of a direction: what it is compared with. */
  comparator?: string;
  /** Of a direction: the group or condition compared. */
  intervention?: string;
  /** Name of the column, unique in its table. */
  name: string;
  /** Question to each paper. */
  question: string;
  /** Type: text, number, yes-no, choice or direction. */
  type?: string;
  /** Unit of a number, such as mg, % or patients. */
  unit?: string;
  /** Phrases to look for, of which one is enough; default: the words of the question. */
  words?: Array<string>;
}

/** Counts of a column, and the agreement of machine and person. */
export interface ColumnReport {
  /** Share of equal ones, in [0, 1]; null without any. */
  agreement: number | null;
  /** Upper end. */
  agreementHigh: number | null;
  /** Lower end of its 95 % interval, by Wilson. */
  agreementLow: number | null;
  /** Largest number. */
  largest: number | null;
  /** Smallest number. */
  least: number | null;
  /** Median of numbers; null for other types. */
  median: number | null;
  /** Number of those with equal values. */
  nAgreed: number;
  /** Number of cells with a finding of both machine and person. */
  nCompared: number;
  /** Number of papers that contradict themselves. */
  nContradicts: number;
  /** Number of cells that a person set. */
  nLocked: number;
  /** Number of cells before their first run. */
  nMissing: number;
  /** Number of papers that do not report it. */
  nNotReported: number;
  /** Number of papers. */
  nPapers: number;
  /** Number of outdated cells. */
  nStale: number;
  /** Number of unchecked cells. */
  nUnchecked: number;
  /** Number of cells with a value. */
  nValues: number;
  /** Name of the column. */
  name: string;
}

/** A paper in the collection that it was copied to. */
export interface CopiedPaper {
  /** False if the other collection had the paper already; it is left as it was. */
  copied: boolean;
  /** Id of the paper in the other collection. */
  copyId: string;
  /** Key of the paper. */
  key: string;
  /** True if it left its collection; not if its texts, fields or edits are not all in the other. */
  moved: boolean;
  /** Id of the paper. */
  paperId: string;
}

/** Papers copied to another collection. */
export interface CopiedPapers {
  /** Collection of the copies. */
  collection: string;
  /** Number of papers that were copied. */
  nCopied: number;
  /** The papers, in the order of the request, each once. */
  papers: Array<CopiedPaper>;
}

/** Number of records of a database, or of a reason. */
export interface Counted {
  /** Number of records. */
  n: number;
  /** Name of the database, or the reason. */
  name: string;
}

/** New invitation with its text, which is shown once. */
export interface CreatedInvitation {
  /** The invitation. */
  invitation: InvitationInfo;
  /** The invitation as a sign-up sends it; a page of the server takes it at /signup#TEXT. */
  text: string;
}

/** New API key with its text, which is shown once. */
export interface CreatedKey {
  /** The key. */
  key: ApiKey;
  /** The key as requests send it. */
  text: string;
}

/** Point of the curve of found records. */
export interface CurvePoint {
  /** Number of decided records. */
  nDecided: number;
  /** Number of those that were included. */
  nIncluded: number;
}

/** Read-only Cypher query and the format of its rows. */
export interface CypherOptions {
  /** Deadline in milliseconds; default and maximum: that of the server. */
  deadlineMs?: number | null;
  /** Maximum number of rows, 1 to 10,000. */
  rows?: number;
}

/** Cypher query that was run. */
export interface CypherCall {
  /** File below cypher/, without .cypher. */
  file: string;
  /** Duration with all attempts, in milliseconds. */
  ms: number;
  /** Parameters; vectors and long lists as their length. */
  parameters: Record<string, unknown>;
  /** Number of returned records. */
  records: number;
}

/** Distinct nodes and relationships in the rows. */
export interface CypherGraph {
  /** Creation time of the replica, if a replica is queried. */
  asOf: string | null;
  /** Duration of the query in milliseconds. */
  ms: number;
  /** Number of rows. */
  nRows: number;
  /** Nodes. */
  nodes: Array<GraphNode>;
  /** Relationships. */
  relationships: Array<GraphRelationship>;
  /** Limit that cut the rows: rows, bytes, or null if complete. */
  truncated: "rows" | "bytes" | (string & {}) | null;
}

/** Result of a Cypher query. */
export interface CypherRows {
  /** Creation time of the replica, if a replica is queried. */
  asOf: string | null;
  /** Names of the columns. */
  columns: Array<string>;
  /** Duration of the query in milliseconds. */
  ms: number;
  /** Number of rows. */
  nRows: number;
  /** Error after the first rows were sent, if any. */
  problem: Record<string, unknown> | null;
  /** Rows; values in the order of the columns. */
  rows: Array<Array<unknown>>;
  /** Limit that cut the rows: rows, bytes, or null if complete. */
  truncated: "rows" | "bytes" | (string & {}) | null;
}

/** Range of days, inclusive; one bound is optional. */
export interface Dates {
  /** First day. */
  from?: string | null;
  /** Last day. */
  to?: string | null;
}

/** An author after a decision. */
export interface DecidedAuthor {
  /** Other spellings. */
  aliases: Array<string>;
  /** Id of the author. */
  authorId: string;
  /** ORCID or other id of the person; null for one known by name. */
  key: string | null;
  /** Name, the first of the spellings in use. */
  name: string;
  /** The author's papers. */
  paperIds: Array<string>;
}

/** Two entities after a decision. */
export interface DecidedEntities {
  /** Id of the first. */
  entityId: string;
  /** Name of the first. */
  name: string;
  /** Id of the second. */
  otherId: string;
  /** Name of the second. */
  otherName: string;
  /** True if both are the same. */
  same: boolean;
}

/** A paper after a merge, a split, or their undoing. */
export interface DecidedPaper {
  /** Number of decisions that were taken back. */
  nUndone: number;
  /** Id of the merged paper, of the one that was split off, or of the one named. */
  paperId: string;
  /** Names of its documents and records. */
  sources: Array<string>;
  /** Title. */
  title: string;
}

/** A proposal that was rejected, or whose rejection was taken back. */
export interface DecidedProposal {
  /** True if it is not proposed again. */
  rejected: boolean;
}

/** Annotations that were deleted. */
export interface DeletedAnnotations {
  /** Their ids. */
  ids: Array<string>;
}

/** A stored answer that was deleted. */
export interface DeletedAnswer {
  /** Id of the answer. */
  id: string;
}

/** A collection that was deleted, or as much of it as fits into a request. */
export interface DeletedCollection {
  /** Number of deleted papers. */
  nDeleted: number;
  /** Number of papers that are left; repeat the request until it is 0. */
  nLeft: number;
  /** Name that the collection had. */
  name: string;
}

/** A paper that was deleted. */
export interface DeletedPaper {
  /** Keys of the deleted paper. */
  keys: Array<string>;
  /** Id that the paper had. */
  paperId: string;
}

/** Screening that was deleted. */
export interface DeletedScreening {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
}

/** Table that was deleted. */
export interface DeletedTable {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
}

/** A watch that was deleted. */
export interface DeletedWatch {
  /** Its id. */
  id: string;
}

/** Report of an Ising device; see docs/selection.md#ising-device. */
export interface DeviceReport {
  /** Number of calls of the device, 1 or 2. */
  attempts: number;
  /** Declared convention that the device violates. */
  corrected: string | null;
  /** Bits of a coupling on the device; null for floating point. */
  couplingBits: number | null;
  /** Time reported by the device. */
  deviceMs: number | null;
  /** Number of states of the right size. */
  feasibleReads: number;
  /** Name of the device. */
  name: string;
  /** Objective of the best state after local search. */
  objectivePolished: number;
  /** Objective of the best state after repair. */
  objectiveSampled: number;
  /** Weight of the constraint on the size of the selection. */
  penalty: number;
  /** Upper bound of the energy error. */
  quantisationBound: number;
  /** Largest rounding error of an energy. */
  quantisationError: number;
  /** Number of returned states. */
  reads: number;
  /** Number of candidates, after certified fixing and the cut to what the device can hold. */
  spins: number;
  /** Duration of the calls in milliseconds. */
  wallMs: number;
}

/** Document before it is stored. */
export interface DocumentPreview {
  /** Authors. */
  authors: Array<string>;
  /** Reason of the refusal, or what is left out of it. */
  detail: string | null;
  /** DOI. */
  doi: string | null;
  /** Name of the text that its record names. */
  file: string | null;
  /** Source of the document; only the name of a local file. */
  source: string;
  /** Title. */
  title: string | null;
  /** Year. */
  year: number | null;
}

/** Sentence of a draft with one of its citations, or an uncited one with a suggested citation. */
export interface DraftCitation {
  /** Citation key or number; empty for a suggestion. */
  cited: string;
  /** Reason as text; empty if supported. */
  detail: string;
  /** Number of the sentence in the draft, from 1. */
  number: number;
  /** Id of the paper in the library; null if it is absent. */
  paperId: string | null;
  /** Title of the paper. */
  paperTitle: string | null;
  /** Sentences that support or contradict it, or the nearest one. */
  quotes: Array<DraftQuote>;
  /** Entry of the bibliography; may be empty. */
  reference: string;
  /** Heading above the sentence. */
  section: string;
  /** The sentence as written. */
  sentence: string;
  /** Result; suggested: an uncited sentence that this paper supports. */
  verdict: DraftVerdict;
}

/** Sentence of a paper of the library. */
export interface DraftQuote {
  /** Id of the chunk. */
  chunkId: string;
  /** Page, from 1, if there are pages. */
  page: number | null;
  /** The words of the chunk. */
  text: string;
}

/** Check of all citations of a draft. */
export interface DraftReport {
  /** Checked citations, in the order of the draft. */
  citations: Array<DraftCitation>;
  /** Collection of the cited papers. */
  collection: string;
  /** Number of citations beyond the limit of one check. */
  leftOut: number;
  /** Number of sentences in the draft. */
  nSentences: number;
  /** Name of the file. */
  name: string;
  /** Warnings about skipped checks. */
  warnings: Array<string>;
}

/** Draft of a paper, and where its cited papers are. */
export interface DraftRequestOptions {
  /** BibTeX, beside the references of the draft. */
  bibliography?: string;
  /** Collection to read; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Instead of the text: the file in base64, as a docx needs. */
  data?: string;
  /** Report uncited sentences that a paper of the collection supports, with that paper. */
  suggest?: boolean;
  /** Text of the draft. */
  text?: string;
}

/** Generated text that failed verification. */
export interface DroppedText {
  /** Reason as text. */
  detail: string;
  /** Reason, from a closed list. */
  fault: Fault;
  /** The dropped sentence or citation. */
  text: string;
}

/** Record that repeats another one, or may do so. */
export interface DuplicatePair {
  /** What is equal: doi, pmid, title; person; or possible: they were not joined. */
  by: string;
  /** Its DOI, if any. */
  doi: string | null;
  /** Id of the record that repeats. */
  id: string;
  /** Its DOI, if any. */
  keptDoi: string | null;
  /** Id of the record that is kept. */
  keptId: string;
  /** Its line in its file. */
  keptLine: number;
  /** Its database. */
  keptSource: string;
  /** Its title. */
  keptTitle: string;
  /** Its year, if known. */
  keptYear: number | null;
  /** Its line in its file. */
  line: number;
  /** Its database. */
  source: string;
  /** Its title. */
  title: string;
  /** Its year, if known. */
  year: number | null;
}

/** A paper whose fields were edited. */
export interface EditedPaper {
  /** The fields that the request named, as they are now; one that nobody states is missing. */
  fields: Array<PaperField>;
  /** Id of the paper; a new one if a DOI or arXiv id makes it another paper of the graph. */
  paperId: string;
}

/** Enrichments to make of the papers of a collection. */
export interface EnrichOptions {
  /** Collection to read; default: main, or the first that the key reaches. */
  collection?: string | null;
}

/** Estimate of enrichments; requests, tokens and cost are upper bounds, `expected` has the likely values. */
export interface EnrichmentEstimate {
  /** Collection of the papers. */
  collection: string;
  /** Cost at the configured prices. */
  cost: number;
  /** Names of the enrichments. */
  enrichments: Array<string>;
  /** Expected use of the language model, by enrichment. */
  expected: Array<ExpectedUsage>;
  /** Chunks of the papers that lack one. */
  nChunks: number;
  /** Papers that lack one of the enrichments. */
  nDue: number;
  /** Papers of the collection. */
  nPapers: number;
  /** Number of papers in the sample; the others are extrapolated from it. */
  nRead: number;
  /** Requests to the language model, those for what is kept in the cache included. */
  nRequests: number;
  /** Tokens of their input and output together. */
  nTokens: number;
  /** Enrichments over the whole collection that would be made again. */
  spanning: Array<string>;
}

/** Method, data set, measure or other entity that papers mention. */
export interface Entity {
  /** Other spellings, abbreviations and long forms. */
  aliases: Array<string>;
  /** Collection of the papers. */
  collection: string;
  /** sha-256 hex of collection and name. */
  id: string;
  /** Most frequent spelling. */
  name: string;
  /** PageRank in the co-mention graph, 1 on average; null if not computed. */
  pageRank: number | null;
  /** Most frequent type of its mentions. */
  type: string;
}

/** An entity that a chunk mentions. */
export interface EntityMention {
  /** The entity. */
  entity: Entity;
  /** Extractor of the mention. */
  extractor: string;
  /** Spellings in the chunk. */
  names: Array<string>;
  /** Offsets of the mentions in the text, from 0. */
  offsets: Array<number>;
}

/** An entity that a paper mentions. */
export interface EntityOfPaper {
  /** The entity. */
  entity: Entity;
  /** Number of mentioning chunks of the paper. */
  nChunks: number;
}

/** A number that was counted, or estimated from a sample. */
export interface EstimatedNumber {
  /** In 95 of 100 samples it is at most this; `value` where it was counted. */
  high: number;
  /** In 95 of 100 samples it is at least this; `value` where it was counted. */
  low: number;
  /** The number. */
  value: number;
}

/** Expected use of the language model by an enrichment, if the model gives as much as it is asked for. */
export interface ExpectedUsage {
  /** Cost at the configured prices. */
  cost: number;
  /** Name of the enrichment. */
  enrichment: string;
  /** Requests, without answers in the cache and repairs. */
  nRequests: number;
  /** Tokens of their input and output together. */
  nTokens: number;
}

/** Explanation of the rank of a hit. */
export interface Explanation {
  /** Chunks that were merged into this one. */
  mergedChunkIds: Array<string>;
  /** Rank after each ordering step. */
  rankHistory: Array<StepPlace>;
  /** Scores of the retrievers that found the hit. */
  retrievers: Array<RetrieverScore>;
  /** Graph path from the query to this passage, if any. */
  via: Array<Via>;
  /** Reasons for the rank below the previous hit; empty for the first. */
  whyNotHigher: string;
}

/** A file of an export. */
export interface ExportedFile {
  /** Name to save it by. */
  name: string;
  /** Its text. */
  text: string;
}

/** Values of papers in one respect, the most frequent first. */
export interface FacetCounts {
  /** Counted field. */
  facet: Facet;
  /** The values with their numbers. */
  values: Array<FacetValue>;
}

/** Value that papers have, with their number. */
export interface FacetValue {
  /** Number of papers. */
  n: number;
  /** Id of an author, entity or cluster. */
  nodeId: string | null;
  /** Year, category, format, or name of a node. */
  value: string;
}

/** Addresses of a watch's feed; whoever has one can read it, until another is made or it is revoked. */
export interface Feed {
  /** Path of the Atom feed on this server; null after it was revoked. */
  atom: string | null;
  /** Id of the watch. */
  id: string;
  /** Path of the JSON feed; null after it was revoked. */
  jsonFeed: string | null;
}

/** Papers with a value of a metadata field. */
export interface FieldValue {
  /** Name of the field, such as task. */
  field: string;
  /** The value. */
  value: string;
}

/** Conditions that must all hold; see docs/filters.md. */
export interface Filter {
  /** All of these hold. */
  all?: Array<Filter> | null;
  /** At least one of these holds. */
  any?: Array<Filter> | null;
  /** Names or ids. */
  authors?: Array<string> | null;
  /** Categories of papers, such as cs.CL. */
  categories?: Array<string> | null;
  /** Clusters of papers or passages. */
  clusters?: Array<string | FieldValue> | null;
  /** Days of publication. */
  dates?: Dates | null;
  /** Names, aliases or ids. */
  entities?: Array<string> | null;
  /** Formats of files, such as pdf. */
  formats?: Array<string> | null;
  /** Keywords of papers. */
  keywords?: Array<string> | null;
  /** Passage kinds, such as table. */
  kinds?: Array<"front" | "abstract" | "body" | "appendix" | "references" | "acknowledgements" | "table" | "equation" | "caption" | (string & {})> | null;
  /** Languages of papers as ISO 639-1 codes, such as de. */
  languages?: Array<string> | null;
  /** star and note for papers that have one, highlight for passages with highlighted words. */
  marked?: Array<"star" | "note" | "highlight" | (string & {})> | null;
  /** This must not hold. */
  not?: Filter | null;
  /** Ids or keys, such as a DOI or @smith2019. */
  papers?: Array<string> | null;
  /** Reading states of papers: to-read, reading or read. */
  states?: Array<"to-read" | "reading" | "read" | (string & {})> | null;
  /** Editorial status of papers, such as retracted. */
  status?: Array<"retracted" | "concern" | "corrected" | "reinstated" | (string & {})> | null;
  /** Tags of papers. */
  tags?: Array<string> | null;
  /** Journals or conferences of papers, by name. */
  venues?: Array<string> | null;
  /** Words that titles, abstracts or names of authors have, all of one text. */
  words?: Array<string> | null;
  /** Years of publication. */
  years?: Years | null;
}

/** A node, as Neo4j has it. */
export interface GraphNode {
  id: string;
  labels: Array<string>;
  properties: Record<string, unknown>;
}

/** Path between two nodes: one more node than steps. */
export interface GraphPath {
  nodes: Array<AnyNode>;
  steps: Array<PathStep>;
}

/** A relationship, as Neo4j has it. */
export interface GraphRelationship {
  end: string | null;
  id: string;
  properties: Record<string, unknown>;
  start: string | null;
  type: string;
}

/** Marked part of a passage; offsets count characters (code points) from 0. */
export interface Highlight {
  /** Character after the last one. */
  end: number;
  /** A word of the query, or the sentence of the passage that says most of the query. */
  kind: HighlightKind;
  /** First character. */
  start: number;
}

/** Passage found for a query, with its context. */
export interface Hit {
  /** The chunk of the passage. */
  chunk: Chunk;
  /** Explanation of the rank, if `explanation` is included. */
  explanation: Explanation | null;
  /** Words of the query in the passage, and its best sentence, if `highlights` are included. */
  highlights: Array<Highlight> | null;
  /** Next chunk in the paper, if `neighbours` are included. */
  next: Chunk | null;
  /** True if the hit is outside the filter and only fills the list. */
  outsideFilter: boolean;
  /** The paper of the passage. */
  paper: Paper;
  /** Text for the reader: the passage, compressed or expanded. */
  passage: string;
  /** Previous chunk in the paper, if `neighbours` are included. */
  previous: Chunk | null;
  /** From 1, best first. */
  rank: number;
  /** Relations of entities near to the query, if the pipeline adds them. */
  relations: Array<RelationPath>;
  /** Score of the last scoring step; comparable within this query only. */
  score: number;
  /** The section in which the passage begins. */
  section: Section;
  /** Sections of the passage in reading order; several if it crosses headings. */
  sections: Array<PassageSection>;
  /** Selection details, if passages were selected. */
  selection: SelectionDetail | null;
}

/** File of search results that was imported. */
export interface ImportedFile {
  /** Time of the import. */
  at: string;
  /** Number of its records. */
  nRecords: number;
  /** Number of entries that could not be read. */
  nRefused: number;
  /** Name of the file. */
  name: string;
  /** The first of these, each with line and reason. */
  refused: Array<string>;
  /** sha-256 hex of its bytes. */
  sha256: string;
  /** Database that was searched. */
  source: string;
}

/** Items of the inbox, and what is decided of them. */
export interface InboxOptions {
  /** Fetch texts of accepted papers, too: from arXiv, or open-access PDFs by DOI. */
  withText?: boolean;
}

/** Items that were decided. */
export interface InboxDecision {
  /** Their ids. */
  ids: Array<string>;
  /** Job that writes accepted papers; null if none does. */
  jobId: string | null;
  /** Their state now. */
  state: InboxState;
}

/** A work that a watch found. */
export interface InboxItem {
  /** Abstract; may be empty. */
  abstract: string;
  /** arXiv id without version. */
  arxivId: string | null;
  /** Names in order. */
  authors: Array<string>;
  /** Collection that it was found for. */
  collection: string;
  /** Time of the decision. */
  decidedAt: string | null;
  /** DOI in lower case. */
  doi: string | null;
  /** Time when it was found first. */
  foundAt: string;
  /** Id of the item. */
  id: string;
  /** Place of publication. */
  journalRef: string | null;
  /** Nearest papers of the collection. */
  near: Array<NearPaper>;
  /** How likely it is accepted, in [0, 1]. */
  score: number;
  /** Ids of the watches that found it. */
  sources: Array<string>;
  /** new, accepted, rejected or never. */
  state: InboxState;
  /** Title. */
  title: string;
  /** Words that moved the score most, each as +word or -word; empty without decisions. */
  words: Array<string>;
  /** Year of publication. */
  year: number | null;
}

/** A change that a sync would bring. */
export interface IncomingChange {
  /** Kind of change, such as `new` or `deleted in Zotero`. */
  change: string;
  /** Title of the item or file, or words of the tag, note or highlight. */
  title: string;
}

/** Documents to ingest: URLs, identifiers and uploads, at least one. */
export interface IngestOptions {
  /** Chunker and its sizes. */
  chunking?: Chunking;
  /** Collection to read; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Parser of PDF files: builtin, or the service of the server. */
  parser?: string | null;
  /** URLs, arxiv:ID, DOIs, pmid:ID, isbn:ID, title:TEXT; pdf:doi:ID is the open PDF. With uploads, 1 to 100. */
  sources?: Array<string>;
  /** Ids of your uploads (REST: POST /v1/uploads). */
  uploads?: Array<string>;
}

/** Estimate of an ingestion. */
export interface IngestionEstimate {
  /** Their chunks. */
  chunks: EstimatedNumber;
  /** Collection of the papers. */
  collection: string;
  /** Cost of the tokens at the configured price; 0 for a local model. */
  cost: number;
  /** Parsed documents, and those that were refused. */
  documents: Array<DocumentPreview>;
  /** Time for embedding. */
  embeddingSeconds: number | null;
  /** Documents that were found. */
  nDocuments: number;
  /** Number of refused documents: files that are no documents, or that the sample failed to parse. */
  nRefused: number;
  /** Number of parsed documents; `papers` and all below are exact if all were parsed, else extrapolated. */
  nSampled: number;
  /** Number of documents that are stored already and stay unchanged. */
  nUnchanged: number;
  /** Papers that would be written. */
  papers: EstimatedNumber;
  /** Time for reading, parsing and cutting, in one process, or None where nothing could be measured. */
  preparingSeconds: number | null;
  /** Texts that would be embedded: calls of the embedding model, in batches of its own. */
  texts: EstimatedNumber;
  /** Tokens of these. */
  tokens: EstimatedNumber;
}

/** Invitation to create; its keys never go beyond the key of the request, and have no scope admin. */
export interface InvitationOptions {
  /** Collections of its keys; default: all. */
  collections?: Array<string> | null;
  /** Tokens of a language model for all its keys together per day; default: no such limit. */
  commonTokensPerDay?: number | null;
  /** Limit of each of its keys; default: that of the server. */
  costPerMinute?: number | null;
  /** Time to live of the invitation, such as 12h, 30d or 8w. */
  expires?: string;
  /** Time to live of its keys; default: that of the key of the request. */
  keyExpires?: string | null;
  /** Limit of each of its keys; default: that of the server. */
  requestsPerMinute?: number | null;
  /** Number of keys that it is good for. */
  uses?: number;
}

/** Properties of a key that would be created with an invitation now. */
export interface InvitationGrant {
  /** Collections of the key; null for all. */
  collections: Array<string> | null;
  /** Tokens per day of all keys of the invitation together; null for no such limit. */
  commonTokensPerDay: number | null;
  /** Limit of the key; null for that of the server. */
  costPerMinute: number | null;
  /** End of the invitation. */
  expiresAt: string;
  /** End of the key; null for no end. */
  keyExpiresAt: string | null;
  /** Number of keys that the invitation is still good for. */
  nLeft: number;
  /** Recipient of the invitation. */
  name: string;
  /** Limit of the key; null for that of the server. */
  requestsPerMinute: number | null;
  /** Scopes of the key. */
  scopes: Array<KeyScope>;
}

/** Invitation to sign up for an API key, without its secret. */
export interface InvitationInfo {
  /** Collections of its keys; null for all. */
  collections: Array<string> | null;
  /** Tokens of a language model for all its keys together per day; null for no such limit. */
  commonTokensPerDay: number | null;
  /** Limit of each of its keys; null for that of the server. */
  costPerMinute: number | null;
  /** Time of the creation. */
  createdAt: string;
  /** Ids of the keys that it was made with, from the first one. */
  creators: Array<string>;
  /** End of the validity. */
  expiresAt: string;
  /** Part of the invitation that is no secret. */
  id: string;
  /** Validity of its keys in seconds; null for no end of their own. */
  keyTermS: number | null;
  /** Number of keys that it is good for. */
  maxUses: number;
  /** Number of keys that were signed up with it. */
  nUses: number;
  /** Recipient of the invitation. */
  name: string;
  /** Limit of each of its keys; null for that of the server. */
  requestsPerMinute: number | null;
  /** Time of the revocation, if any. */
  revokedAt: string | null;
  /** Scopes of its keys. */
  scopes: Array<KeyScope>;
  /** State of the invitation. */
  state: "valid" | "expired" | "revoked" | "used_up" | (string & {});
}

/** Ingestion or enrichment job with its progress. */
export interface Job {
  /** Collection of the papers. */
  collection: string;
  /** Time of the request. */
  createdAt: string;
  /** Reason of the pause. */
  detail: string | null;
  /** Time of the end or the cancellation. */
  finishedAt: string | null;
  /** Id of the job. */
  id: string;
  /** Kind of work. */
  kind: JobKind;
  /** Number of documents found. */
  nDocuments: number;
  /** Number of chunks embedded so far. */
  nEmbedded: number;
  /** Number of open documents. */
  nPending: number;
  /** Number of unchanged documents; they have no task. */
  nUnchanged: number;
  /** Number of documents with a warning, such as a field that was left out. */
  nWarned: number;
  /** Fraction of finished documents, 0 to 1. */
  progress: number;
  /** Sources of the job; only names of local files. */
  sources: Array<string>;
  /** Number of running documents per stage. */
  stages: Record<string, number>;
  /** State of the job. */
  state: JobState;
  /** Number of documents per state. */
  states: Record<string, number>;
  /** Cause of the wait, if the job waits. */
  waitsFor: WaitsFor | null;
}

/** API key to create; it never goes beyond the key of the request. */
export interface KeyOptions {
  /** Collections, some of those of the key of the request; default: all of them. */
  collections?: Array<string> | null;
  /** Time to live, such as 12h, 30d or 8w; default: that of the key of the request. */
  expires?: string | null;
}

/** A change that a sync or a push made. */
export interface LoggedChange {
  /** create, change, delete or undo. */
  action: string;
  /** Time as ISO 8601. */
  at: string;
  /** to-zotero, or from-zotero. */
  direction: string;
  /** True if the change was taken back. */
  isUndone: boolean;
  /** Key of the object in Zotero. */
  key: string;
  /** item, tag, tags, note, highlight, collection or fields. */
  kind: string;
  /** Number in the log, from 1. */
  number: number;
  /** Title of the paper, or name of the collection. */
  title: string;
  /** What was written, up to 300 characters. */
  words: string;
}

/** Topic of a map. */
export interface MapTopic {
  /** Number of the topic above it in the list, from 0. */
  above: number | null;
  /** Level in the hierarchy, 0 for the finest. */
  level: number;
  /** Number of its points, those of topics below it included. */
  n: number;
  /** Words that set it apart. */
  name: string;
  /** Id of the cluster. */
  nodeId: string;
  /** Centre of its points from left to right: their median. */
  x: number;
  /** Centre of its points from bottom to top. */
  y: number;
}

/** Account that reaches a collection by name or by a role. */
export interface Member {
  /** Id of its first key. */
  key: string;
  /** Name of that key. */
  name: string;
  /** Its role; null if the scopes of its keys decide. */
  role: Role | null;
  /** Scopes of that key. */
  scopes: Array<KeyScope>;
}

/** Author that remains. */
export interface MergingOptions {
}

/** Language model usage of some calls, such as all for a question; usages add up. */
export interface ModelUsage {
  /** Calls answered from the cache, at no cost. */
  cached: number;
  /** Cost in the currency of the configured prices. */
  cost: number;
  /** Number of estimated tokens, where a server told nothing or the connection broke. */
  estimatedTokens: number;
  /** Tokens sent to the model. */
  inputTokens: number;
  /** Tokens that the model wrote. */
  outputTokens: number;
  /** Number of calls of the model, with those that failed. */
  requests: number;
}

/** Neighbours of a node by one type of relationship that are left out. */
export interface MoreNeighbours {
  /** Number of neighbours. */
  n: number;
  /** Type of the relationship. */
  type: LinkType;
}

/** Rows of a named query over the graph, which answered a question instead of passages. */
export interface NamedAnswer {
  /** Names of the columns. */
  columns: Array<string>;
  /** Values of the parameters by name. */
  parameters: Record<string, unknown>;
  /** Name of the query. */
  query: string;
  /** Values of each row, in the order of the columns. */
  rows: Array<Array<unknown>>;
}

/** Relationship between two nodes of a neighbourhood. */
export interface NearLink {
  /** Id of the node where it begins. */
  fromId: string;
  /** Id of the node where it ends. */
  toId: string;
  /** Type of the relationship. */
  type: LinkType;
  /** Similarity, 0 to 1, if the relationship has one. */
  weight: number | null;
}

/** Node of a neighbourhood. */
export interface NearNode {
  /** Number of relationships of any type. */
  degree: number;
  /** Type of the node, such as Paper. */
  label: string;
  /** Neighbours that are left out, of a requested node. */
  more: Array<MoreNeighbours>;
  /** Title, name, or beginning of a text. */
  name: string;
  /** Id of the node. */
  nodeId: string;
}

/** A paper of the collection that is near to an item of the inbox. */
export interface NearPaper {
  /** Id of the paper. */
  paperId: string;
  /** Cosine of both vectors, to three digits. */
  score: number;
  /** Title of the paper. */
  title: string;
}

/** Nodes, the requested ones first, and relationships between them. */
export interface Neighbourhood {
  /** The relationships. */
  links: Array<NearLink>;
  /** The nodes. */
  nodes: Array<NearNode>;
  /** True if neighbours are left out. */
  truncated: boolean;
}

/** Annotation to make; one that the paper has from the caller already is kept, in a new colour. */
export interface NewAnnotationOptions {
  /** Rectangles: page, left, upper, right, lower edge as shares of the page. */
  boxes?: Array<Array<number>> | null;
  colour?: Colour;
  /** Words before, which tell equal quotes apart. */
  prefix?: string;
  /** Words that a highlight marks. */
  quote?: string;
  /** True to share it with the collection. */
  shared?: boolean;
  /** Place in the text near which the words stand. */
  startChar?: number | null;
  /** Words after. */
  suffix?: string;
  /** Name of a tag, text of a note, comment of a highlight, or to-read, reading or read. */
  text?: string;
}

/** Screening to create. */
export interface NewScreeningOptions {
  /** Collection; default: main. */
  collection?: string | null;
  /** People who decide each record: 1 or 2. */
  raters?: number;
  /** Reasons of exclusion; of two that raters give, the first here counts. */
  reasons?: Array<string>;
}

/** Evidence table to create: papers by questions. */
export interface NewTableOptions {
  /** Collection; default: main. */
  collection?: string | null;
  /** Filter of papers as JSON, such as {"years": {"from": 2015}}. */
  filter?: string;
  /** Ids of papers; default: all of the collection. */
  papers?: Array<string> | null;
}

/** Watch to add. */
export interface NewWatchOptions {
  /** Collection that its finds are for. */
  collection?: string;
  /** Interval: 30m, 12h, 1d or 2w. */
  every?: string;
  /** Words, ORCID, DOI, options such as backward rounds=2, or nothing for the last two. */
  subject?: string;
}

/** A node of the graph, with what it is. */
export interface AnyNode {
  label: "Paper" | "Section" | "Chunk" | "Author" | "Reference" | "Question" | "Entity" | "Cluster" | (string & {});
  node: Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster;
}

/** Enrichment that papers can be given. */
export interface OfferedEnrichment {
  /** Description of the enrichment, in one sentence. */
  about: string;
  /** Obstacles to making it here, each with the next step; empty if it can be made. */
  missing: Array<string>;
  /** Name, for jobs and options. */
  name: string;
  /** Requirements, such as a language model. */
  needs: Array<string>;
  /** Optional inputs: a language model, or other enrichments. */
  uses: Array<string>;
}

/** Entity to compare with. */
export interface OtherEntityOptions {
}

/** Paper to merge with. */
export interface OtherPaperOptions {
}

/** A research paper in a collection. */
export interface Paper {
  /** Abstract; empty if the source has none. */
  abstract: string;
  /** arXiv id without version, if known. */
  arxivId: string | null;
  /** Version at arXiv, from 1. */
  arxivVersion: number | null;
  /** Authors, in the order of the paper. */
  authors: Array<Author>;
  /** Fraction of the body text, without dropped sections, in chunks, 0 to 1. */
  bodyCoverage: number | null;
  /** Categories, such as cs.CL. */
  categories: Array<string>;
  /** Name of the chunker. */
  chunker: string | null;
  /** Citation key in a bibliography. */
  citeKey: string | null;
  /** Cleaning steps: drop-back-matter, mask-urls, trim-stops. */
  cleaning: Array<string>;
  /** Collection of the paper. */
  collection: string;
  /** The authors' comment at arXiv, such as the number of pages. */
  comment: string | null;
  /** sha-256 hex of the source's bytes. */
  contentHash: string;
  /** DOI, if known. */
  doi: string | null;
  /** Day of the deciding notice, such as 2010-02-06. */
  editorialDate: string | null;
  /** Notices, each as: status | day | source | DOI of the notice | reason. */
  editorialNotices: Array<string>;
  /** retracted, concern, corrected or reinstated, if a notice about the paper is known. */
  editorialStatus: string | null;
  /** Format of the source: markdown, text, pdf, jats, tei, latex, docx, odt, epub, pptx, rtf, html or record. */
  format: string | null;
  /** Source of the headings: markup, outline, fonts, keywords, a service or none. */
  headingSource: string | null;
  /** sha-256 hex of collection and key. */
  id: string;
  /** Time of the last write. */
  ingestedAt: string;
  /** True if more pages or letters were lost than the setting partial_share allows. */
  isPartial: boolean;
  /** Journal reference. */
  journalRef: string | null;
  /** doi:…, arxiv:… without version, upload:…, or file:… or another URL. */
  key: string;
  /** All keys of this content. */
  keys: Array<string>;
  /** Keywords of its bibliography or PDF. */
  keywords: Array<string>;
  /** Language of the text as ISO 639-1 code, if certain. */
  language: string | null;
  /** Licence as the source states it, if it does. */
  license: string | null;
  /** Number of chunks. */
  nChunks: number;
  /** Number of pages, if the source has pages. */
  nPages: number | null;
  /** Number of pages without text. */
  nPagesWithoutText: number | null;
  /** Number of sections. */
  nSections: number;
  /** Losses and repairs while reading the source. */
  notes: Array<string>;
  /** First category at arXiv. */
  primaryCategory: string | null;
  /** Publication time of the first version. */
  published: string | null;
  /** Sources of the content, one per key. */
  sources: Array<string>;
  /** Title. */
  title: string;
  /** Publication time of this version. */
  updated: string | null;
  /** Landing page. */
  url: string | null;
  /** Year of publication, if known. */
  year: number | null;
}

/** Fields of a paper to set, to empty, and to restore from the sources. */
export interface PaperEditOptions {
  /** Names of fields to empty, such as `journalRef`. */
  clear?: Array<string>;
  /** Values to set. */
  fields?: PaperFields;
  /** Names of fields to restore from the sources. */
  undo?: Array<string>;
}

/** Exported papers: a bibliography, or a Markdown file per paper. */
export interface PaperExport {
  /** The files. */
  files: Array<ExportedFile>;
  /** The format: md, bibtex, csl-json or ris. */
  format: string;
  /** Number of papers. */
  nPapers: number;
}

/** A field of a paper, with the source that states it. */
export interface PaperField {
  /** Name of the field. */
  name: string;
  /** Origin of the value: person, publisher, arxiv or document. */
  provider: Provider;
  /** Address or file name of the source; empty for an edit. */
  source: string;
  /** Its values; one unless it is a list, and none if it was emptied. */
  values: Array<string>;
}

/** Values of fields of a paper; null leaves a field as it is. */
export interface PaperFields {
  /** Abstract. */
  abstract?: string | null;
  /** arXiv id. */
  arxivId?: string | null;
  /** Names of the authors, in order. */
  authors?: Array<string> | null;
  /** Categories, such as cs.CL. */
  categories?: Array<string> | null;
  /** Comment, such as the number of pages. */
  comment?: string | null;
  /** DOI. */
  doi?: string | null;
  /** Journal reference. */
  journalRef?: string | null;
  /** Licence. */
  license?: string | null;
  /** Title. */
  title?: string | null;
  /** Landing page. */
  url?: string | null;
  /** Year of publication, 1000 to 2999. */
  year?: number | null;
}

/** Places of papers in two dimensions, as columns of equal length, in the order of ids. */
export interface PaperMap {
  /** Ids of the papers. */
  ids: Array<string>;
  /** Method that gave the places; null without points. */
  method: MapMethod | null;
  /** Papers of the collection. */
  nPapers: number;
  /** Papers without a place until the enrichment `map` runs again. */
  nUnplaced: number;
  /** Titles, at most 200 characters each. */
  titles: Array<string>;
  /** Number of the finest topic of each paper in the list of topics, from 0. */
  topicNumbers: Array<number | null>;
  /** Topics with points, the coarsest and largest first. */
  topics: Array<MapTopic>;
  /** True if the collection has more papers than were asked for. */
  truncated: boolean;
  /** Coordinates from left to right, -1 to 1. */
  x: Array<number>;
  /** Coordinates from bottom to top, -1 to 1. */
  y: Array<number>;
  /** Years of publication, where known. */
  years: Array<number | null>;
}

/** One of two papers that may be one. */
export interface PaperOfPair {
  /** Id of the paper. */
  paperId: string;
  /** Title. */
  title: string;
  /** Year of publication. */
  year: number | null;
}

/** An earlier text of a paper. */
export interface PaperVersion {
  /** Version at arXiv, from 1, if known. */
  arxivVersion: number | null;
  /** Sections that differ in the present text. */
  changes: Array<SectionChange>;
  /** sha-256 hex of its document's bytes. */
  contentHash: string;
  /** Format of its document. */
  format: string | null;
  /** Number of sections. */
  nSections: number;
  /** Number, from 1 for the oldest that is kept. */
  number: number;
  /** Time when another text took its place. */
  replacedAt: string;
  /** Share of words in sentences of only this or the present text, 0 to 1. */
  share: number;
  /** Title that it had. */
  title: string;
}

/** A paper with notices about it. */
export interface PaperWithStatus {
  /** Day of the deciding notice; empty if unknown. */
  date: string;
  /** DOI of the paper. */
  doi: string;
  /** True if the status is another one than before. */
  isNew: boolean;
  /** Notices, each as: status | day | source | DOI of the notice | reason. */
  notices: Array<string>;
  /** Id of the paper. */
  paperId: string;
  /** retracted, concern, corrected or reinstated. */
  status: string;
  /** Title. */
  title: string;
}

/** Papers to look up at Crossref and OpenAlex. */
export interface PapersToCheckOptions {
  /** DOI to begin after: `nextAfter` of the call before. */
  after?: string;
  /** Number of DOIs. */
  first?: number;
}

/** Papers, and the collection to copy them to. */
export interface PapersToCopyOptions {
  /** True to delete the papers afterwards; annotations of all accounts go with them. */
  move?: boolean;
}

/** Papers whose files are read again. */
export interface PapersToReadOptions {
}

/** Section that a passage reaches into. */
export interface PassageSection {
  /** Character after the last one of the section in the source text. */
  endChar: number;
  /** Headings above the text, outermost first. */
  path: Array<string>;
  /** Id of the section. */
  sectionId: string;
  /** First character of the section in the source text, from 0. */
  startChar: number;
}

/** Step of a path. */
export interface PathStep {
  /** OUTGOING if the relationship points along the path. */
  direction: Direction;
  /** Type of the relationship, as the graph names it. */
  type: string;
}

/** Named, reproducible list of retrieval steps. */
export interface Pipeline {
  /** Summary in a sentence. */
  about: string;
  /** Obstacles to running it, each with the next step; empty if it can run. */
  missing: Array<string>;
  /** Name, as a search takes it. */
  name: string;
  /** Requirements: language model, reranker, enrichments. */
  needs: Array<string>;
  /** Input of the language model for an answer. */
  reader: Reader;
  /** Origin of the method. */
  source: string;
  /** Steps in order, with all options. */
  steps: Array<unknown>;
}

/** Counts for the part of a PRISMA 2020 diagram about citation searching. */
export interface PrismaCounts {
  /** New works beyond the limit, which were not kept. */
  beyondLimit: number;
  /** Duplicate records removed, within a round and between rounds. */
  duplicates: number;
  /** Works that were rejected. */
  excluded: number;
  /** Records identified. */
  identified: number;
  /** Works that the collection had. */
  inLibrary: number;
  /** Works that were accepted. */
  included: number;
  /** Works with a decision. */
  screened: number;
  /** Records by source. */
  sources: Array<RecordsOf>;
  /** Records removed because their work is unknown. */
  unnamed: number;
  /** Works without a decision. */
  waiting: number;
}

/** Numbers of records in each box of the PRISMA 2020 diagram, and the diagram if it was asked for. */
export interface PrismaFlow {
  /** The diagram in Mermaid's language; empty unless asked for. */
  mermaid: string;
  /** Reports decided by their full text. */
  nAssessed: number;
  /** Duplicates that were removed before screening. */
  nDuplicates: number;
  /** Records excluded by title and abstract. */
  nExcluded: number;
  /** Included reports. */
  nIncluded: number;
  /** Reports that could not be got. */
  nNotRetrieved: number;
  /** Records of all databases. */
  nRecords: number;
  /** Entries of files that could not be read; not among the records. */
  nRefused: number;
  /** Records decided by title and abstract. */
  nScreened: number;
  /** Reports sought for retrieval. */
  nSought: number;
  /** Records without duplicates. */
  nToScreen: number;
  /** Records and reports without a final decision. */
  nWaiting: number;
  /** Reports excluded by their full text, by reason. */
  reasons: Array<Counted>;
  /** Records of each database, by name. */
  sources: Array<Counted>;
  /** The diagram as SVG; empty unless asked for. */
  svg: string;
}

/** Error in a field of a request. */
export interface ProblemError {
  field: string | null;
  message: string;
  /** Reason of a refused upload, from a closed list. */
  reason?: string | null;
}

/** A value of a field that a catalogue states and the paper has not. */
export interface ProposedCorrection {
  /** Name of the field. */
  name: string;
  /** Values of the catalogue. */
  proposed: Array<string>;
  /** Identifier that was looked up, such as doi:10.1000/182. */
  source: string;
  /** Values of the paper, none where it has none. */
  values: Array<string>;
}

/** Two papers that may be one. */
export interface ProposedPair {
  /** What both have: doi or title. */
  common: string;
  /** The two papers. */
  papers: Array<PaperOfPair>;
  /** Enrichments that a merge removes with the text it hides; enriching makes them again after a split. */
  removedEnrichments: Array<string>;
}

/** A write to Zotero. */
export interface PushChange {
  /** create or change. */
  action: string;
  /** note, highlight, tags, collection or fields. */
  kind: string;
  /** Title of the paper, or name of the collection. */
  title: string;
  /** What is written: the question, quote or tags. */
  words: string;
}

/** Result of a push to Zotero. */
export interface PushReport {
  /** Writes; in a dry run what they would be. */
  changes: Array<PushChange>;
  /** Objects that a person changed in Zotero, which stay so: both versions in words. */
  conflicts: Array<string>;
  /** Objects that a person deleted in Zotero, which stay deleted. */
  keptDeleted: Array<string>;
  /** Corrections of papers made in papergraph that Zotero lacks; `edits` writes them. */
  offers: Array<string>;
  /** Number of objects that Zotero has already. */
  unchanged: number;
  /** Quotes without a place in a PDF of Zotero, or whose paper Zotero does not have. */
  unplaced: Array<string>;
}

/** What to write into Zotero. */
export interface PushRequestOptions {
  /** Ids of stored answers; default: all of the caller, none in a group. */
  answers?: Array<string> | null;
  /** Tag whose papers become a collection of its name; empty for none. */
  collect?: string;
  /** Collection; default: `main`. */
  collection?: string | null;
  /** Write nothing, and return what would be written. */
  dryRun?: boolean;
  /** Write corrections of papers that a person made in papergraph, too. */
  edits?: boolean;
  /** users/ID or groups/ID; default: the library of the settings. */
  library?: string | null;
}

/** A question that a passage or a paper answers. */
export interface Question {
  /** Answer, if generated. */
  answer: string | null;
  /** Collection of the answering paper. */
  collection: string;
  /** Generator: model, written, template or extractive. */
  generator: string;
  /** Id that questions across the same papers share; null for a question of one paper. */
  groupId: string | null;
  /** sha-256 hex of collection, paper and text. */
  id: string;
  /** Metadata that it was made from, each as field: value. */
  metadata: Array<string>;
  /** Name of the language model, if used. */
  model: string | null;
  /** Original text, if edited. */
  original: string | null;
  /** Id of the answering paper. */
  paperId: string;
  /** Review: accepted, edited or null. */
  review: string | null;
  /** The question. */
  text: string;
}

/** A stored answer that quotes some papers, such as retracted ones. */
export interface QuotingAnswer {
  /** Collection that was asked. */
  collection: string;
  /** Id of the answer. */
  id: string;
  /** Those of the asked papers that it quotes. */
  paperIds: Array<string>;
  /** Question as it was asked. */
  question: string;
}

/** Rest of a limit per minute. */
export interface RateLimit {
  /** Amount that is left. */
  left: number;
  /** Amount per minute. */
  limit: number;
  /** requests or cost. */
  name: "requests" | "cost" | (string & {});
  /** Seconds until the whole amount is there again. */
  resetsInS: number;
}

/** Decision of a rater on a record. */
export interface RaterDecision {
  /** Time of the decision. */
  decidedAt: string;
  /** Name of the key of the rater, or of the rater. */
  name: string;
  /** Remark. */
  note: string;
  /** Account or name of the rater; empty for the only one of a server without keys. */
  rater: string;
  /** Reason of an exclusion; may be empty. */
  reason: string;
  /** True if it settles a conflict. */
  resolves: boolean;
  /** abstract or text. */
  stage: ScreeningStage;
  /** include, exclude, maybe, or open: withdrawn. */
  verdict: ScreeningVerdict;
}

/** Rating of an answer; the last one of a reader counts. */
export interface RatingOptions {
  /** Reason in words. */
  comment?: string;
}

/** What was read of a paper for a cell. */
export interface Read {
  /** Score of the best sentence, at least 0. */
  bestScore: number;
  /** Share of the words' weight in or around it, in [0, 1]. */
  coverage: number;
  /** Those that the paper lacks. */
  missing: Array<string>;
  /** Number of passages that were read. */
  nPassages: number;
  /** Words that were looked for. */
  words: Array<string>;
}

/** Recall that screening has reached, by a test on the last records (Callaghan and Müller-Hansen 2020). */
export interface Recall {
  /** Lower end of the 95 % interval of recall, to two digits; 0 while nothing is known. It ends at 1. */
  low: number;
  /** Most relevant records that may be left; null while nothing is known. */
  mostLeft: number | null;
  /** Number of decided records. */
  nDecided: number;
  /** Number of included records. */
  nIncluded: number;
  /** Number of undecided records. */
  nLeft: number;
  /** p-value of the hypothesis that less than 95 % were found. */
  p: number;
}

/** Decision on a record of a screening. */
export interface RecordDecisionOptions {
  /** Collection of the screening; default: main. */
  collection?: string | null;
  /** Remark. */
  note?: string;
  /** Name of the rater, for callers without a key; with one, the key's account. */
  rater?: string | null;
  /** Reason of an exclusion, one of the screening's. */
  reason?: string;
  /** True to settle a conflict. */
  resolves?: boolean;
  /** abstract, or text for the full text. */
  stage?: ScreeningStage;
}

/** Records that one source gave. */
export interface RecordsOf {
  /** Citations that it stated. */
  nRecords: number;
  /** library, openalex or crossref. */
  source: string;
}

/** Included records to make papers of. */
export interface RecordsToIngestOptions {
  /** Collection of the screening; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** ScreeningStage at which they were included: abstract or text. */
  stage?: ScreeningStage;
}

/** Records that are one work, or are not. */
export interface RecordsToJoinOptions {
  /** Collection of the screening; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Id of the record that it repeats; null if it repeats none. */
  kept?: string | null;
}

/** An entry of a paper's list of references. */
export interface Reference {
  /** arXiv id of the cited work, if recognized. */
  arxivId: string | null;
  /** Authors of the cited work, as printed. */
  authors: Array<string>;
  /** Collection of the citing paper. */
  collection: string;
  /** DOI of the cited work, if recognized. */
  doi: string | null;
  /** sha-256 hex of paper and place. */
  id: string;
  /** Label in the text of the paper. */
  label: string;
  /** Position in the list, from 0. */
  ordinal: number;
  /** Id of the citing paper. */
  paperId: string;
  /** Printed text of the entry. */
  text: string;
  /** Title of the cited work, if recognized. */
  title: string | null;
  /** Year of the cited work, if recognized. */
  year: number | null;
}

/** Result of the check of a bibliography. */
export interface ReferencesReport {
  /** Sources that failed, and entries that cannot be read. */
  failures: Array<string>;
  /** The entries, in the order of the file. */
  references: Array<CheckedReference>;
}

/** Rectangle of a page, as shares (0 to 1) of its width and height from the upper left. */
export interface Region {
  /** Page, from 1. */
  page: number;
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** Proposed values of a field that are wrong. */
export interface RejectedCorrectionOptions {
  /** True to propose them again. */
  undo?: boolean;
}

/** Paper that is another one. */
export interface RejectedPairOptions {
  /** True to propose the pair again. */
  undo?: boolean;
}

/** Related paper. */
export interface RelatedPaper {
  paper: Paper;
  /** Higher is nearer; comparable within one kind of relation only. */
  score: number;
  /** Up to five shared nodes, rarest first. */
  shared: Array<Via>;
}

/** Relation between entities, stated by a paper. */
export interface Relation {
  /** Chunks with the statement. */
  chunkIds: Array<string>;
  /** Outgoing if the relation points to the other entity. */
  direction: Direction;
  /** Related entity. */
  entity: Entity;
  /** Extractor of the relation. */
  extractor: string;
  /** Paper with the statement. */
  paperId: string;
  /** Relation type of the schema. */
  type: string;
}

/** Relation of two entities that a passage states. */
export interface RelationPath {
  /** Chunk with the statement. */
  chunkId: string;
  /** Name of the second entity. */
  object: string;
  /** Id of the second entity. */
  objectId: string;
  /** Sentences of the passage from one name to the other, if found. */
  quote: string | null;
  /** Name of the first entity. */
  subject: string;
  /** Id of the first entity. */
  subjectId: string;
  /** Relation type of the schema. */
  type: string;
}

/** Job that reads the kept files of papers again. */
export interface RereadPapers {
  /** Id of the job. */
  job: string;
  /** Number of papers that it reads. */
  nPapers: number;
  /** Papers without a kept file, or whose file needs the record beside it. */
  skipped: Array<string>;
}

/** Uploaded file of search results. */
export interface ResultsToImportOptions {
  /** Collection of the screening; default: main, or the first that the key reaches. */
  collection?: string | null;
}

/** Result of a check for retractions. */
export interface RetractionReport {
  /** Stored answers that quote these papers. */
  answers: Array<QuotingAnswer>;
  /** Papers whose status was removed: no source states it any more. */
  cleared: Array<string>;
  /** Collection of the papers. */
  collection: string;
  /** Sources that failed; what they stated before is kept. */
  failures: Array<string>;
  /** Number of DOIs that were checked. */
  nChecked: number;
  /** Value of after for the next call; null at the end. */
  nextAfter: string | null;
  /** Papers with a status, by DOI. */
  papers: Array<PaperWithStatus>;
}

/** Score of one retriever for a hit. */
export interface RetrieverScore {
  /** Index of the query; 0 is the original. */
  query: number;
  /** Rank in the list of this retriever, from 1. */
  rank: number;
  /** The retriever. */
  retriever: RetrieverName;
  /** The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 of FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability. */
  score: number;
  /** Path from the query to the hit. */
  via: Array<Via>;
}

/** Decision about a question. */
export interface ReviewOptions {
  /** New text, for an edit. */
  text?: string | null;
}

/** Effect of a decision. */
export interface ReviewedQuestion {
  /** The decision. */
  decision: Decision;
  /** Ids of the question in the collection, or of the deleted ones. */
  ids: Array<string>;
  /** Original text of the question. */
  original: string;
  /** Edited text, if any. */
  text: string | null;
}

/** Whether the address of a feed is only revoked. */
export interface RevocationOptions {
  /** True to make no new address. */
  revoke?: boolean;
}

/** Role of an account in a collection. */
export interface RoleOptions {
}

/** Same entity under another name. */
export interface SameEntity {
  /** The other entity. */
  entity: Entity;
  /** Evidence: name, abbreviation, vector or review. */
  evidence: string;
  /** Confidence, 0 to 1. */
  score: number;
}

/** What an import added. */
export interface ScreeningImport {
  /** The file. */
  file: ImportedFile;
  /** True if the file was imported before: nothing was added. */
  isRepeated: boolean;
  /** Number of records that repeat another one. */
  nDuplicates: number;
  /** Number of new records to screen. */
  nNew: number;
}

/** Included records that become papers. */
export interface ScreeningPapers {
  /** Job that writes the papers; null if none does. */
  jobId: string | null;
  /** Number of included records. */
  nRecords: number;
}

/** Progress of a screening. */
export interface ScreeningStatus {
  /** Numbers and diagram of PRISMA 2020. */
  prisma: PrismaFlow;
  /** The screening. */
  screening: ScreeningSummary;
  /** Counts of both stages. */
  stages: Array<StageCounts>;
}

/** Screening without its records. */
export interface ScreeningSummary {
  /** Its collection. */
  collection: string;
  /** Time when it was created. */
  createdAt: string;
  /** Id of the screening. */
  id: string;
  /** Imported files, in order. */
  imports: Array<ImportedFile>;
  /** Number of those that repeat another one. */
  nDuplicates: number;
  /** Number of records of all files. */
  nRecords: number;
  /** Name. */
  name: string;
  /** People who decide each record. */
  raters: number;
  /** Reasons of exclusion. */
  reasons: Array<string>;
}

/** Hits of a search, best first, with the trace of their retrieval. */
export interface SearchAnswer {
  /** Draft answer for the reranker, if any. */
  draft: string | null;
  filter: AppliedFilter | null;
  hits: Array<Hit>;
  pipeline: string;
  /** Executed queries: the original and derived ones. */
  queries: Array<AskedQuery>;
  /** Saved run for `papergraph pipelines replay`. */
  run: unknown;
  /** Certificate, if passages were selected. */
  selection: SelectionReport | null;
  trace: Array<TraceStep> | null;
  /** Differences from the pipeline, such as other chunks. */
  warnings: Array<string>;
}

/** Search query and options. */
export interface SearchOptions {
  /** Fill the list from outside the filter if too few hits pass. */
  backfill?: boolean;
  /** Collection to read; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Collections to search together, at most 8, instead of one. */
  collections?: Array<string> | null;
  /** Filter on papers and passages; see docs/filters.md. */
  filter?: Filter | null;
  /** Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run. */
  include?: Array<"explanation" | "neighbours" | "highlights" | "trace" | "run" | (string & {})>;
  /** Number of hits, 1 to 100; default: that of the pipeline. */
  k?: number | null;
  /** Other values for options of pipeline steps, such as search.k, or fuse2.by for the second fuse. */
  overrides?: Record<string, unknown>;
  /** Retrieval pipeline, by name. */
  pipeline?: string;
  /** Selection after the pipeline, or instead of its own. */
  selection?: Selection | null;
}

/** A heading with the text up to the next one. */
export interface Section {
  /** Collection of the paper. */
  collection: string;
  /** Last page of its own text, if there are pages. */
  endPage: number | null;
  /** sha-256 hex of paper and place. */
  id: string;
  /** front, abstract, body, references, acknowledgements or appendix. */
  kind: string;
  /** Depth in the section tree, from 1. */
  level: number;
  /** Position within the paper, from 0. */
  ordinal: number;
  /** Id of the paper. */
  paperId: string;
  /** The section above it, if any. */
  parentId: string | null;
  /** Headings above it and its own, outermost first. */
  path: Array<string>;
  /** First page of its own text, from 1, if there are pages. */
  startPage: number | null;
  /** Heading; empty for text before the first one. */
  title: string;
}

/** A section that differs between two texts of a paper. */
export interface SectionChange {
  /** added, removed, renamed (equal text) or changed. */
  change: Change;
  /** Headings from the outermost on; of a renamed one the old, then the new ones. */
  section: string;
  /** Share of words in sentences of one text only, 0 to 1; 1 if added or removed. */
  share: number;
}

/** Selection of relevant, diverse passages with a certificate. */
export interface Selection {
  /** Weight of relevance against redundancy, 0 to 1. */
  alpha?: number;
  /** Method of the selection: exact, cpsat, anneal, mmr, top_k or pbit. */
  backend?: string;
  /** Time limit of the selection; device, CP-SAT and annealing need more. */
  deadlineMs?: number;
  /** Form of the objective. */
  form?: Form;
  /** Number of passages to select, 1 to 100. */
  k?: number;
  /** Maximum passages per paper. */
  maxPerPaper?: number | null;
  /** Number of candidates to select from. */
  pool?: number;
  /** Seed of the backends that draw numbers. */
  seed?: number;
  /** Maximum tokens of all passages together; fewer than k are selected if k do not fit. */
  tokenBudget?: number | null;
}

/** Details of a selected passage. */
export interface SelectionDetail {
  /** Loss of the objective without this passage; negative if one passage fewer would be better. */
  marginal: number;
  /** Most similar selected chunk; null for a single one. */
  nearest: string | null;
  /** Similarity to that chunk. */
  nearestSimilarity: number;
  /** Rank before the selection, from 1. */
  rankBefore: number;
  /** Mean similarity to the other selected passages; 0 for a single one. */
  redundancy: number;
}

/** Certificate of a selection; see docs/selection.md. */
export interface SelectionReport {
  /** Weight of relevance against redundancy, 0 to 1. */
  alpha: number;
  /** Backend that found the selection; exact after a fallback. */
  backend: string;
  /** Back end with the better bound. */
  certifiedBy: string;
  /** Certified fraction of the possible gain over the top k, 0 to 1. */
  certifiedGain: number;
  /** Device report, if a device answered. */
  device: DeviceReport | null;
  /** Reason of the fallback to the own solver, if any. */
  fallback: string | null;
  /** Form of the objective. */
  form: Form;
  /** Objective minus lower bound, at least 0; 0 for the best selection. */
  gap: number;
  /** Number of selected passages; fewer than k if no more fit. */
  k: number;
  /** Lower bound of the objective of any selection. */
  lowerBound: number;
  /** Mean similarity of two selected passages; 0 for k = 1. */
  meanPairSimilarity: number;
  /** Mean relevance of the selected passages. */
  meanRelevance: number;
  /** Duration of the selection in milliseconds. */
  ms: number;
  /** Objective of the selection; lower is better. */
  objective: number;
  /** True if no selection is better. */
  proven: boolean;
  /** Stage of the solver at the proof or at the deadline. */
  stage: Stage;
}

/** Description of the server. */
export interface ServerInfo {
  /** Common styles of exported references; empty without the extra citations. */
  citationStyles: Array<string>;
  /** Embedding model of searches. */
  embeddingModel: string;
  /** True if the server accepts Cypher queries. */
  hasCypher: boolean;
  /** Model that writes answers; null if there is none. */
  languageModel: string | null;
  /** Cross-encoder for reranking; null if there is none. */
  reranker: string | null;
  /** Sign-up for an API key: off, or by invitation. */
  signUp: "off" | "invite" | (string & {});
  /** Files that can be uploaded; null if none can. */
  uploads: UploadRules | null;
  /** Version of papergraph. */
  version: string;
}

/** Session of a browser; its secret is in the cookie only. */
export interface Session {
  expiresAt: string;
}

/** Invitation that somebody has. */
export interface ShownInvitationOptions {
}

/** A key to sign up for, with an invitation. */
export interface SignUpOptions {
}

/** Possibilities without a key. */
export interface SignUpOffer {
  /** Sign-up: closed, or by invitation. */
  signUp: "off" | "invite" | (string & {});
}

/** Similar chunk of another paper. */
export interface SimilarChunk {
  /** The other chunk. */
  chunk: Chunk;
  /** Cosine similarity. */
  score: number;
}

/** Result of the last snowballing of a collection with some options, with the decisions so far. */
export interface SnowballReport {
  /** The collection. */
  collection: string;
  /** Counts of all rounds. */
  counts: PrismaCounts;
  /** End of the run, as ISO 8601; null before the first. */
  finishedAt: string | null;
  /** Id of the watch that ran it; the source of its items in the inbox. */
  id: string;
  /** Directions, rounds, limit, and offline if only the library was used. */
  options: string;
  /** Sources that failed or were cut at a limit. */
  remarks: Array<string>;
  /** The rounds. */
  rounds: Array<SnowballRound>;
}

/** A round of snowballing. */
export interface SnowballRound {
  /** Works of this round in the inbox that are accepted now. */
  nAccepted: number;
  /** New works that were put into the inbox, those with most links. */
  nKept: number;
  /** Works that the inbox had before. */
  nKnown: number;
  /** Citations that were found: the records identified. */
  nLinks: number;
  /** New works. */
  nNew: number;
  /** Works that the collection has. */
  nPapers: number;
  /** Works of this round in the inbox that are rejected now. */
  nRefused: number;
  /** Works whose citations were followed. */
  nSeeds: number;
  /** Works of earlier rounds. */
  nSeen: number;
  /** Citations without DOI, arXiv id and long title, whose work is unknown. */
  nUnnamed: number;
  /** Works of this round in the inbox without a decision. */
  nWaiting: number;
  /** Works that they name, each once. */
  nWorks: number;
  /** Number of the round, from 1. */
  number: number;
  /** Yield: new works per work, 0 to 1. */
  shareNew: number;
}

/** Passage as the reader receives it. */
export interface Source {
  /** The passage as the search found it. */
  hit: Hit;
  /** Number of removed sentences that give instructions. */
  instructions: number;
  /** Number of the source, [n] in the answer. */
  number: number;
  /** Text without invisible characters and instructions. */
  text: string;
}

/** Documents and records of another paper. */
export interface SourcesToSplitOptions {
  /** Names of some sources of the paper; empty to take back its merges. */
  sources?: Array<string>;
}

/** Papers of another person. */
export interface SplittingOptions {
}

/** Counts of a stage of screening. */
export interface StageCounts {
  /** Agreement of two raters; null without any. */
  agreement: Agreement | null;
  /** Included records by decided ones. */
  curve: Array<CurvePoint>;
  /** Number of conflicts. */
  nConflicts: number;
  /** Number of excluded ones. */
  nExcluded: number;
  /** Number of included ones. */
  nIncluded: number;
  /** Number of open ones that wait for the caller. */
  nMine: number;
  /** Number of undecided ones. */
  nOpen: number;
  /** Number of records to decide. */
  nRecords: number;
  /** Recall that was reached. */
  recall: Recall;
  /** abstract or text. */
  stage: ScreeningStage;
}

/** Rank of a hit after a step. */
export interface StepPlace {
  /** Rank after the step, from 1. */
  rank: number;
  /** Number of the step, from 1. */
  step: number;
}

/** Answer or refusal as it was given and stored. */
export interface StoredAnswer {
  /** Answerability, 0 to 1. */
  answerability: number | null;
  /** Question as it was asked. */
  asked: string;
  /** Time of the answer. */
  askedAt: string;
  /** Citations of the text, in its order. */
  citations: Array<AnswerCitation>;
  /** Collection that was asked. */
  collection: string;
  /** Generated text that failed verification. */
  dropped: Array<DroppedText>;
  /** True if all generated text passed verification. */
  grounded: boolean;
  /** Id of the answer. */
  id: string;
  /** True if a language model wrote the answer. */
  llmGenerated: boolean;
  /** Reason of a refusal in words. */
  message: string | null;
  /** Name of the language model, if one wrote it. */
  model: string | null;
  /** Query over the graph, if it answered instead of passages. */
  namedQuery: NamedAnswer | null;
  /** Question as it was searched for, completed from the history. */
  question: string;
  /** Ratings, the newest first, one per reader. */
  ratings: Array<AnswerRating>;
  /** Reason of a refusal. */
  reason: Reason | null;
  /** Passages of the answer; of a refusal, the nearest. */
  sources: Array<StoredSource>;
  /** Sentences, each with its citations [n]; null for a refusal. */
  text: string | null;
  /** Warnings about degraded steps. */
  warnings: Array<string>;
}

/** Finding as it is stored. */
export interface StoredFinding {
  /** Name of the key of the person, if any. */
  author: string | null;
  /** True if a person set it. */
  byPerson: boolean;
  /** sha-256 hex of the column that was answered. */
  columnHash: string;
  /** sha-256 hex of the text that was read. */
  contentHash: string;
  /** Upper end of its interval. */
  high: number | null;
  /** Id of the finding. */
  id: string;
  /** Lower end of its interval. */
  low: number | null;
  /** Time when it was made. */
  madeAt: string;
  /** Rules with version, model with prompt, or person. */
  maker: string;
  /** Remark, such as the reason why a cell is unchecked. */
  note: string;
  /** Value of a number. */
  number: number | null;
  /** 1 to 3 quotes of a value. */
  quotes: Array<CellQuote>;
  /** What was read; null for a person's value. */
  read: Read | null;
  /** State of the cell. */
  state: CellState;
  /** Unit of a number, as the paper writes it. */
  unit: string;
  /** Value as text; empty unless there is one. */
  value: string;
}

/** Passage that a stored answer was written from; of a refusal, a nearest one. */
export interface StoredSource {
  /** Id of the passage. */
  chunkId: string;
  /** Number of the source, [n] in the answer. */
  number: number;
  /** First page of the passage, if known. */
  page: number | null;
  /** Id of the paper. */
  paperId: string;
  /** Title of the paper. */
  paperTitle: string;
  /** Headings above the passage, outermost first. */
  sectionPath: Array<string>;
}

/** Subject of the papers of a collection. */
export interface SubjectOptions {
}

/** Node whose name has the typed words; offsets count characters (code points) from 0. */
export interface Suggestion {
  /** Character after the last one of the typed words. */
  end: number;
  /** Type of the node. */
  label: "Paper" | "Author" | "Entity" | "Cluster" | (string & {});
  /** Id of the node. */
  nodeId: string;
  /** First character of the typed words in the text. */
  start: number;
  /** Title or name. */
  text: string;
}

/** Meta Knowledge Summary: what the papers of a cluster, or those with some metadata, are about as a group. */
export interface Summary {
  /** The cluster or the metadata in words. */
  about: string;
  /** Ids of the clusters of the papers. */
  clusterIds: Array<string>;
  /** Collection of the papers. */
  collection: string;
  /** Generator of the text. */
  generator: SummaryGenerator;
  /** sha-256 hex of the cluster or the metadata, the same for every text. */
  id: string;
  /** Distinctive terms of the papers, strongest first. */
  keywords: Array<string>;
  /** Name of the language model, if one wrote it. */
  model: string | null;
  /** Number of papers. */
  nPapers: number;
  /** Number of their questions that were read. */
  nQuestions: number;
  /** The summary; without a language model, central sentences of the abstracts. */
  text: string;
  /** True if the summary was stored before this request. */
  wasStored: boolean;
}

/** Papers to summarize: those of a cluster, or those with metadata. */
export interface SummaryOptions {
  /** Id of a cluster. */
  cluster?: string | null;
  /** Name of the collection; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Values that the papers have; one of each field is enough. */
  metadata?: Array<FieldValue>;
}

/** Cell of a table: the finding that counts, and beside a person's that of the machine. */
export interface TableCell {
  /** Name of the column. */
  column: string;
  /** Finding that counts; null before the first run. */
  finding: StoredFinding | null;
  /** True if a person set the value. */
  isLocked: boolean;
  /** True if the text, the column or the rules changed since. */
  isStale: boolean;
  /** Finding of the machine beside a person's. */
  machine: StoredFinding | null;
}

/** Column of a table with counts of its cells. */
export interface TableColumn {
  /** What fills the column. */
  answeredBy: AnsweredBy;
  /** Choices with synonyms. */
  choices: Array<string>;
  /** Of a direction: what it is compared with. */
  comparator: string;
  /** Id of the column. */
  id: string;
  /** Of a direction: the group compared. */
  intervention: string;
  /** Name. */
  name: string;
  /** Question to each paper. */
  question: string;
  /** Type. */
  type: string;
  /** Unit of a number. */
  unit: string;
  /** Phrases to look for. */
  words: Array<string>;
}

/** Paper of a table with its cells. */
export interface TableRow {
  /** Cells in the order of the columns. */
  cells: Array<TableCell>;
  /** DOI, if any. */
  doi: string | null;
  /** retracted, concern, corrected or reinstated; null for none. It flags the row. */
  editorialStatus: string | null;
  /** Key of the paper. */
  key: string;
  /** Id of the paper. */
  paperId: string;
  /** Title. */
  title: string;
  /** Year, if known. */
  year: number | null;
}

/** Job that fills a table. */
export interface TableRun {
  /** Id of the job; null if no cell is missing or outdated. */
  jobId: string | null;
  /** Number of papers with such cells. */
  nDue: number;
}

/** Evidence table without its rows. */
export interface TableSummary {
  /** Time of the last change of its columns. */
  changedAt: string;
  /** Collection of its papers. */
  collection: string;
  /** Columns in order. */
  columns: Array<TableColumn>;
  /** Time when it was created. */
  createdAt: string;
  /** Filter of its papers as JSON; empty for none. */
  filter: string;
  /** Id of the table. */
  id: string;
  /** True if its papers were chosen one by one. */
  isSelection: boolean;
  /** Name. */
  name: string;
}

/** Evidence table and its new columns. */
export interface TableToChangeOptions {
  /** Collection of the table; default: main, or the first that the key reaches. */
  collection?: string | null;
}

/** Evidence table to fill. */
export interface TableToRunOptions {
  /** Collection of the table; default: main, or the first that the key reaches. */
  collection?: string | null;
  /** Names of columns; default: all. */
  columns?: Array<string>;
  /** Most papers of this run. */
  limit?: number | null;
}

/** Tag of papers. */
export interface Tag {
  /** Number of papers. */
  nPapers: number;
  /** Name of the tag. */
  name: string;
}

/** Document of a job, or a paper to enrich. */
export interface Task {
  /** Number of attempts. */
  attempts: number;
  /** Reason as text; of a running task, the scanned page that is read. */
  detail: string | null;
  /** Id of the task. */
  id: string;
  /** Key of the resulting paper. */
  key: string | null;
  /** Language of the paper as ISO 639-1 code, if certain. */
  language: string | null;
  /** Number of chunks of the paper, as soon as it is cut. */
  nChunks: number;
  /** Number of embedded chunks, while the document is embedded. */
  nEmbedded: number;
  /** Number of sections of the paper. */
  nSections: number;
  /** Time of the next attempt. */
  nextTryAt: string | null;
  /** Effect: added, replaced, joined, unchanged or superseded. */
  outcome: string | null;
  /** Reason of the failure, from a closed list. */
  reason: string | null;
  /** Seconds until its chunks are embedded, while that is known. */
  secondsLeft: number | null;
  /** Source of the document; only the name of a local file. */
  source: string;
  /** Last stage: fetch, parse, chunk, embed, write, or an enrichment. */
  stage: string | null;
  /** State of the document. */
  state: TaskState;
  /** Title of the resulting paper. */
  title: string | null;
  /** Losses while reading the document, and reasons why searches may miss it. */
  warning: string | null;
}

/** Trace of a step. */
export interface TraceStep {
  /** Number of candidates before the step; before fusion, chunks in all rankings. */
  candidatesIn: number;
  /** Number of candidates after the step. */
  candidatesOut: number;
  /** Cypher queries of the step. */
  cypher: Array<CypherCall>;
  /** Duration in milliseconds. */
  ms: number;
  /** Remarks of the step, such as a fallback. */
  notes: Array<string>;
  /** Options of the step by name. */
  options: Record<string, unknown>;
  /** Name of the step. */
  step: string;
}

/** Earlier turn of a conversation. */
export interface Turn {
  /** Speaker of the message. */
  role: "user" | "assistant" | (string & {});
  /** Text of the message. */
  text: string;
}

/** Decisions about an author that were taken back. */
export interface UndoneDecisions {
  /** Id that the author had. */
  authorId: string;
  /** Number of decisions. */
  nUndone: number;
}

/** Uploaded file. */
export interface Upload {
  /** sha-256 hex of the bytes. */
  contentHash: string;
  /** Format, detected from content and name. */
  format: string;
  id: string;
  /** Time of the last use by a job. */
  lastUsedAt: string | null;
  /** File name; never used as a path. */
  name: string;
  sizeBytes: number;
  uploadedAt: string;
}

/** Files that can be uploaded. */
export interface UploadRules {
  /** Endings of the names of files, such as .pdf. */
  endings: Array<string>;
  /** Largest file. */
  maxBytes: number;
}

/** Node on the path from the query to a passage, or that two papers share. */
export interface Via {
  /** Answer made with a question, which is no evidence; empty if there is none. */
  answer: string;
  /** Question, Entity, Cluster, Paper or Chunk. */
  label: string;
  /** Text of a question, name of an entity, title of a paper. */
  name: string;
  /** Id of the node. */
  nodeId: string;
}

/** Caller: the API key of the request, or this machine. */
export interface Viewer {
  /** Collections of the key; null for all. */
  collections: Array<string> | null;
  /** End of the key's validity; null for none. */
  expiresAt: string | null;
  /** Id of the account's first key; empty if the server requires none. */
  id: string;
  /** True if the server requires no key. */
  isLocal: boolean;
  /** Remaining amount of each limit; empty without limits. */
  limits: Array<RateLimit>;
  /** Name of the key; empty if the server requires none. */
  name: string;
  /** Roles of the account, by collection. */
  roles: Array<CollectionRole>;
  /** Scopes of the key. */
  scopes: Array<KeyScope>;
}

/** A watch: a folder or source that is looked at again and again. */
export interface Watch {
  /** Its collection. */
  collection: string;
  /** Seconds from one run to the next. */
  everyS: number;
  /** Whether its feed has an address. */
  hasFeed: boolean;
  /** Id of the watch. */
  id: string;
  /** Whether it should run now. */
  isDue: boolean;
  /** Whether a process runs it. */
  isHeld: boolean;
  /** Whether it runs only when it is named. */
  isPaused: boolean;
  /** Its kind, such as query, author, cites, snowball or folder. */
  kind: string;
  /** Its last runs, the newest first, each as: time | outcome | words. */
  log: Array<string>;
  /** Failed runs in a row. */
  nFailures: number;
  /** Time when it is due, as ISO 8601. */
  nextAt: string;
  /** Words, ORCID, DOI, path or options that it follows. */
  subject: string;
}

/** Range of years, inclusive; one bound is optional. */
export interface Years {
  /** First year. */
  from?: number | null;
  /** Last year. */
  to?: number | null;
}

/** A library that Zotero offers. */
export interface ZoteroLibrary {
  /** Number of items; null for groups. */
  nItems: number | null;
  /** users/ID or groups/ID. */
  name: string;
  /** Name of a group; empty for a user's own library. */
  title: string;
}

/** A library of Zotero and its collection. */
export interface ZoteroTargetOptions {
  /** Collection; default: main. */
  collection?: string | null;
  /** users/ID or groups/ID; default: the library of the settings. */
  library?: string | null;
}

/** A change to take back. */
export interface ZoteroUndoOptions {
  /** Collection; default: main. */
  collection?: string | null;
  /** users/ID or groups/ID; default: the library of the settings. */
  library?: string | null;
}

/** Lists that nodes have, by kind of the node and name of the list, with the type of their entries. */
export interface NodeLists {
  /** The author's papers, by title. */
  "authors/papers": Paper;
  /** Clusters and their ancestors. */
  "chunks/clusters": Cluster;
  /** Mentioned entities, by name. */
  "chunks/entities": EntityMention;
  /** Answered questions. */
  "chunks/questions": Question;
  /** Cited references, in the order of the paper. */
  "chunks/references": Reference;
  /** Similar chunks of other papers, most similar first. */
  "chunks/similar": SimilarChunk;
  /** Subclusters, largest first. */
  "clusters/children": Cluster;
  /** Chunks of the cluster, by paper and in reading order; topics only. */
  "clusters/chunks": Chunk;
  /** Papers of the cluster, by title; topics have chunks instead. */
  "clusters/papers": Paper;
  /** Chunks that mention it, by paper and in reading order. */
  "entities/mentions": ChunkMention;
  /** Papers that mention it, by title. */
  "entities/papers": Paper;
  /** Relations to other entities, by type and name. */
  "entities/relations": Relation;
  /** Same entities, by descending confidence. */
  "entities/same-as": SameEntity;
  /** All chunks in reading order. */
  "papers/chunks": Chunk;
  /** Citing papers of the collection, by title. */
  "papers/cited-by": Paper;
  /** Cited papers of the collection, by title. */
  "papers/cites": Paper;
  /** Clusters and their ancestors, by kind, level and name. */
  "papers/clusters": Cluster;
  /** Mentioned entities, most frequent first. */
  "papers/entities": EntityOfPaper;
  /** Questions that the paper or its chunks answer. */
  "papers/questions": Question;
  /** References of the paper, in the order of its list. */
  "papers/references": Reference;
  /** All sections, of any level, in reading order. */
  "papers/sections": Section;
  /** Answering chunks, in reading order; none if the whole paper answers. */
  "questions/chunks": Chunk;
  /** Chunks that cite it, in reading order. */
  "references/chunks": Chunk;
  /** Chunks of the section, without subsections, in reading order. */
  "sections/chunks": Chunk;
}
