// What the queries of lib/queries give.
export type Named = { label: string; name: string; nodeId: string };
export type PaperName = { id: string; title: string; year: number | null };

export type Hit = {
  rank: number;
  score: number;
  passage: string;
  highlights: { start: number; end: number; kind: string }[];
  sections: { path: string[] }[];
  relations: { subject: string; type: string; object: string; quote: string | null }[];
  outsideFilter: boolean;
  chunk: { id: string; kind: string; startPage: number | null; endPage: number | null; figure: number[] };
  paper: PaperName & { editorialStatus?: string | null; editorialDate?: string | null; authors: { name: string }[]; chunks?: { totalCount: number } | null };
  retrievers: { retriever: string; rank: number; score: number; query: number }[];
  selection: { marginal: number; nearest: string | null; nearestSimilarity: number; rankBefore: number } | null;
  explanation: {
    whyNotHigher: string;
    rankHistory: { step: number; rank: number }[];
    via: Named[];
    mergedChunkIds: string[];
  };
};

export type TraceStep = {
  step: string;
  ms: number;
  candidatesIn: number;
  candidatesOut: number;
  notes: string[];
  cypher: { file: string; ms: number; records: number }[];
};

export type SearchResult = {
  hits: Hit[];
  pipeline: { name: string };
  warnings: string[];
  queries: { text: string; origin: string }[];
  trace: TraceStep[];
  filter: { filter: string; matchSummary: string; unknown: string[] } | null;
  selection: {
    k: number;
    alpha: number;
    gap: number;
    proven: boolean;
    certifiedGain: number;
    objective: number;
    lowerBound: number;
    backend: string;
    ms: number;
    meanRelevance: number;
    meanPairSimilarity: number;
  } | null;
};

export type Source = {
  number: number;
  text: string;
  instructions: number;
  hit: { sectionPath: string[]; chunk: { id: string; text: string; startPage: number | null }; paper: PaperName };
};

export type Citation = {
  number: number;
  quote: string;
  quoted: boolean;
  start: number;
  end: number;
  answerStart: number;
  answerEnd: number;
  claimStart: number;
  claimEnd: number;
  sectionPath: string[];
  page: number | null;
  chunkId: string;
  paperId: string;
  paperTitle: string;
  paperStatus?: string | null;
};

export type AnswerResult = {
  __typename: "Answer" | "Refusal";
  id: string;
  question: string;
  answerability: number | null;
  warnings: string[];
  dropped: { text: string; fault: string; detail: string }[];
  text?: string;
  grounded?: boolean;
  llmGenerated?: boolean;
  model?: string | null;
  citations?: Citation[];
  namedQuery?: { query: string } | null;
  reason?: string;
  message?: string;
  nearestEvidence?: Source[];
};

/** An answer as a page shows it, new or stored. */
export type ShownAnswer = {
  readonly input: { question: string; collection: string };
  readonly sources: Source[];
  readonly text: string;
  readonly citations: Citation[];
  readonly result: AnswerResult | null;
  readonly error: unknown;
  readonly tookMs: number | null;
  readonly isDone: boolean;
};

export type Rating = { verdict: "UP" | "DOWN"; comment: string; isMine: boolean };

export type StoredAnswer = {
  id: string;
  collection: string;
  askedAt: string;
  asked: string;
  question: string;
  text: string | null;
  grounded: boolean;
  llmGenerated: boolean;
  model: string | null;
  namedQuery: { query: string } | null;
  warnings: string[];
  answerability: number | null;
  reason: string | null;
  message: string | null;
  isMine: boolean;
  dropped: { text: string; fault: string; detail: string }[];
  citations: Citation[];
  sources: { number: number; chunkId: string; paperId: string; paperTitle: string; sectionPath: string[]; page: number | null; chunk: { text: string } | null }[];
  ratings: Rating[];
};

export type FacetValue = { value: string; nodeId: string | null; n: number };

export type Paper = PaperName & {
  __typename: string;
  key: string;
  abstract: string;
  collection: string;
  doi: string | null;
  arxivId: string | null;
  license: string | null;
  language: string | null;
  format: string | null;
  nPages: number | null;
  notes: string[];
  isPartial: boolean;
  editorialStatus: string | null;
  editorialDate: string | null;
  journalRef: string | null;
  url: string | null;
  authors: { id: string; name: string }[];
  sections: { nodes: Section[] };
};

/** What the graph knows of a paper beside its text. */
export type Links = {
  references: { totalCount: number; nodes: Reference[] };
  cites: { nodes: PaperName[] };
  citedBy: { totalCount: number; nodes: PaperName[] };
  entities: { nodes: { nChunks: number; entity: { id: string; name: string; type: string } }[] };
  questions: { nodes: { id: string; text: string; generator: string }[] };
};

export type Section = { id: string; title: string; level: number; path: string[]; startPage: number | null };

export type Reference = {
  id: string;
  label: string;
  text: string;
  title: string | null;
  authors: string[];
  year: number | null;
  doi: string | null;
  arxivId: string | null;
};

export type Chunk = {
  id: string;
  ordinal: number;
  kind: string;
  level: number;
  text: string;
  startChar: number;
  endChar: number;
  startPage: number | null;
  figure: number[];
  section: { id: string };
};

export type Related = { score: number; paper: PaperName; shared: Named[] };
