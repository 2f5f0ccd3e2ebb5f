"""Models of answers; written by ``python -m scripts.sdk`` from schema/openapi.json."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from papergraph_client._model import Model
from papergraph_client._views import Hits, HitView, Table

Decision = Literal["accepted", "edited", "rejected"] | str
"""Decision about a question. Open: new values may come."""

Direction = Literal["outgoing", "incoming"] | str
"""Direction of a relationship: away from the node before it, or towards that node. Open: new values may come."""

Facet = Literal["year", "category", "author", "format", "entity", "cluster"] | str
"""A respect in which papers are counted. Open: new values may come."""

Fault = Literal["no_such_source", "not_in_source", "not_supported", "no_citation", "instruction", "address"] | str
"""Reason why generated text was dropped. Open: new values may come."""

Form = Literal["mean", "pairs"] | str
"""Form of the objective: how relevance and redundancy are weighed. Open: new values may come."""

HighlightKind = Literal["term", "best_sentence"] | str
"""What a highlight marks: a word of the query, or the sentence of the passage that says most of the query. Open: new values may come."""

JobKind = Literal["documents", "enrichments"] | str
"""Kind of a job: documents to ingest, or papers to enrich. Open: new values may come."""

JobState = Literal["queued", "running", "paused", "done", "cancelled"] | str
"""State of a job; a paused job waits until it is resumed. Open: new values may come."""

KeyScope = Literal["read", "ask", "ingest", "cypher", "admin"] | str
"""What a key is good for; the closed list. Open: new values may come."""

LinkType = (
    Literal[
        "WROTE",
        "CITES",
        "HAS_SECTION",
        "HAS_CHUNK",
        "HAS_REFERENCE",
        "CITES_REFERENCE",
        "ANSWERED_BY",
        "MENTIONS",
        "RELATED_TO",
        "SAME_AS",
        "SIMILAR",
        "IN_CLUSTER",
        "PARENT_OF",
    ]
    | str
)
"""Type of relationship that a neighbourhood follows, as the graph names it. Open: new values may come."""

Mode = Literal["auto", "generative", "extractive"] | str
"""Writer: a language model if available (auto), always one, or sentences of the papers (extractive). Open: new values may come."""

PaperSort = Literal["title", "year", "ingested", "cited"] | str
"""Order of papers: by title, newest year first, newest in the graph first, or most cited in the collection. Open: new values may come."""

Reader = Literal["passages", "questions", "pages"] | str
"""What a language model is given to answer from; each is a prompt of that name, which a user can replace. Open: new values may come."""

Reason = Literal["no_evidence", "out_of_scope", "unchecked", "model_unavailable"] | str
"""Reason of a refusal. Open: new values may come."""

RelatedBy = Literal["vectors", "entities", "clusters", "citations"] | str
"""Relation between papers: vectors, shared entities, shared clusters, or citations. Open: new values may come."""

RetrieverName = (
    Literal["vector", "fulltext", "question", "prototype", "name", "entity", "cluster", "citation", "pagerank"] | str
)
"""Retriever. Open: new values may come."""

TaskState = Literal["queued", "running", "done", "failed", "quarantined", "cancelled"] | str
"""State of a task; failed: the document is at fault; quarantined: too many attempts failed. Open: new values may come."""

WaitsFor = Literal["worker"] | str
"""What a job waits for that does not come by itself; worker: no process works on jobs. Open: new values may come."""


@dataclass(frozen=True, kw_only=True)
class AnswerCitation(Model):
    """Quote that occurs verbatim in a chunk."""

    answer_end: int
    answer_start: int
    """Start of `[number]` in the text of the answer."""

    chunk_id: str
    claim_end: int
    claim_start: int
    """Start of the cited sentence."""

    end: int
    file: str | None
    """Name of the file that the paper was read from."""

    number: int
    page: int | None
    paper_id: str
    paper_title: str
    quote: str
    section_path: tuple[str, ...]
    start: int
    """Start of the quote in the text of the chunk, in characters."""

    url: str | None


@dataclass(frozen=True, kw_only=True)
class AppliedFilter(Model):
    """Applied filter."""

    filter: str
    """Summary of the filter."""

    match_summary: str
    """Numbers of passing papers and chunks, and passing kinds."""

    unknown: tuple[str, ...]
    """Values without a match in the collection."""


@dataclass(frozen=True, kw_only=True)
class AskAnswer(Model):
    """Answer or refusal."""

    answerability: float | None
    """Answerability: estimated probability that the passages hold an answer, 0 to 1."""

    citations: tuple[AnswerCitation, ...]
    dropped: tuple[Dropped, ...]
    grounded: bool
    """True if all generated text passed verification; false for a refusal."""

    id: str
    kind: Literal["answer", "refusal"] | str
    llm_generated: bool
    message: str | None
    model: str | None
    named_query: NamedAnswer | None
    """Query over the graph, if it answered instead of passages."""

    question: str
    """Question as it was searched for, completed from the history."""

    reason: Reason | None
    """Reason of a refusal."""

    sources: tuple[Source, ...]
    """Sources of the answer; for a refusal, the nearest passages."""

    text: str | None
    """Sentences, each with its citations `[n]`; null for a refusal."""

    usage: Usage
    warnings: tuple[str, ...]
    """Warnings about degraded steps."""


@dataclass(frozen=True, kw_only=True)
class AskedQuery(Model):
    """Executed query."""

    origin: str
    """Origin: query, rewrite, parts, feedback, …."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Author(Model):
    """Author of papers of a collection."""

    collection: str
    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Chunk(Model):
    """Chunk of the text of a section."""

    collection: str
    end_char: int
    """Character after the last one in the source text."""

    end_page: int | None
    id: str
    kind: str
    """table, equation, caption or parent; for running text, the kind of its section."""

    level: int
    """Level in a hierarchy of chunks; 0 is the finest."""

    n_tokens: int
    """Length in tokens of the embedding model."""

    ordinal: int
    """Position within the paper, from 0."""

    paper_id: str
    section_id: str
    start_char: int
    """First character in the source text, from 0."""

    start_page: int | None
    text: str


@dataclass(frozen=True, kw_only=True)
class ChunkMention(Model):
    """A chunk that mentions an entity."""

    chunk: Chunk
    extractor: str
    names: tuple[str, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Cluster(Model):
    """Cluster of papers or passages."""

    collection: str
    field: str | None
    id: str
    keywords: tuple[str, ...]
    kind: str
    """metadata (papers with one value), topic (similar chunks) or community (linked papers)."""

    level: int
    """Level in the hierarchy; 0 is the finest."""

    n_members: int
    name: str
    value: str | None


@dataclass(frozen=True, kw_only=True)
class Collection(Model):
    """Collection with its counts."""

    ingested_at: datetime
    n_authors: int
    n_chunks: int
    n_clusters: int
    n_entities: int
    n_papers: int
    n_questions: int
    n_references: int
    n_sections: int
    name: str
    subject: str | None
    """Subject of its papers, if set."""


@dataclass(frozen=True, kw_only=True)
class CollectionSubject(Model):
    """Subject of the papers of a collection."""

    collection: str
    subject: str | None


@dataclass(frozen=True, kw_only=True)
class CypherCall(Model):
    """A statement that was run."""

    file: str
    """File below cypher/, without .cypher."""

    ms: float
    parameters: Any
    """Vectors and long lists are shown as their length."""

    records: int


@dataclass(frozen=True, kw_only=True)
class CypherGraph(Model):
    """Distinct nodes and relationships in the rows."""

    as_of: datetime | None
    ms: float
    n_rows: int
    nodes: tuple[GraphNode, ...]
    relationships: tuple[GraphRelationship, ...]
    truncated: Literal["rows", "bytes"] | str | None


@dataclass(frozen=True, kw_only=True)
class CypherRows(Table, Model):
    """Result of a Cypher query."""

    as_of: datetime | None
    """Creation time of the snapshot, if a snapshot is queried."""

    columns: tuple[str, ...]
    ms: float
    """Duration of the query in milliseconds."""

    n_rows: int
    problem: dict[str, Any] | None = None
    """Error after the first rows were sent, if any."""

    rows: tuple[tuple[Any, ...], ...]
    truncated: Literal["rows", "bytes"] | str | None
    """Limit that cut the rows: rows, bytes, or null if complete."""


@dataclass(frozen=True, kw_only=True)
class DeletedPaper(Model):
    """A paper that was deleted."""

    keys: tuple[str, ...]
    """Keys of the deleted paper."""

    paper_id: str


@dataclass(frozen=True, kw_only=True)
class DeviceReport(Model):
    """Report of an Ising device; see docs/ising-device.md."""

    attempts: int
    corrected: str | None
    """Declared convention that the device violates."""

    coupling_bits: int | None
    device_ms: float | None
    """Time reported by the device."""

    feasible_reads: int
    """States with exactly as many ones as were to be chosen."""

    name: str
    """Name of the device."""

    objective_polished: float
    """Objective of the best state after local search."""

    objective_sampled: float
    """Objective of the best state after repair."""

    penalty: float
    quantisation_bound: float
    """Upper bound of the energy error."""

    quantisation_error: float
    """Largest rounding error of an energy."""

    reads: int
    spins: int
    """Number of candidates."""

    wall_ms: float


@dataclass(frozen=True, kw_only=True)
class Dropped(Model):
    """Generated text that failed verification."""

    detail: str
    fault: Fault
    text: str


@dataclass(frozen=True, kw_only=True)
class Entity(Model):
    """Method, data set, measure or other entity that papers mention."""

    aliases: tuple[str, ...]
    collection: str
    id: str
    name: str
    page_rank: float | None
    """PageRank in the co-mention graph, 1 on average; null if not computed."""

    type: str


@dataclass(frozen=True, kw_only=True)
class EntityMention(Model):
    """An entity that a chunk mentions."""

    entity: Entity
    extractor: str
    names: tuple[str, ...]
    """Spellings in the chunk."""

    offsets: tuple[int, ...]
    """Offsets of the mentions in the text, from 0."""


@dataclass(frozen=True, kw_only=True)
class EntityOfPaper(Model):
    """An entity that a paper mentions."""

    entity: Entity
    n_chunks: int
    """Number of mentioning chunks of the paper."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Model):
    """Explanation of the rank of a hit."""

    merged_chunk_ids: tuple[str, ...]
    """Chunks that were merged into this one."""

    rank_history: tuple[StepPlace, ...]
    """Rank after each ordering step."""

    retrievers: tuple[RetrieverScore, ...]
    """Scores of the retrievers that found the hit."""

    via: tuple[SharedNode, ...]
    """Graph path from the query to this passage, if any."""

    why_not_higher: str
    """Reasons for the rank below the previous hit; empty for the first."""


@dataclass(frozen=True, kw_only=True)
class FacetCounts(Model):
    """Values of papers in one respect, the most frequent first."""

    facet: Facet
    values: tuple[FacetValue, ...]


@dataclass(frozen=True, kw_only=True)
class FacetValue(Model):
    """Value that papers have, with their number."""

    n: int
    """Number of papers."""

    node_id: str | None
    """Id of an author, entity or cluster."""

    value: str
    """Year, category, format, or name of a node."""


@dataclass(frozen=True, kw_only=True)
class GraphNode(Model):
    """A node, as Neo4j has it."""

    id: str
    labels: tuple[str, ...]
    properties: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class GraphPath(Model):
    """Path between two nodes: one more node than steps."""

    nodes: tuple[Node, ...]
    steps: tuple[PathStep, ...]


@dataclass(frozen=True, kw_only=True)
class GraphRelationship(Model):
    """A relationship, as Neo4j has it."""

    end: str | None
    id: str
    properties: dict[str, Any]
    start: str | None
    type: str


@dataclass(frozen=True, kw_only=True)
class Highlight(Model):
    """Marked part of a passage; offsets count characters (code points) from 0."""

    end: int
    """Character after the last one."""

    kind: HighlightKind
    """A word of the query, or the sentence of the passage that says most of the query."""

    start: int
    """First character."""


@dataclass(frozen=True, kw_only=True)
class Hit(HitView, Model):
    """Passage found for a query, with its context."""

    chunk: Chunk
    explanation: Explanation | None
    highlights: tuple[Highlight, ...] | None
    """Words of the query in the passage, and its best sentence, if `highlights` are included."""

    next: Chunk | None
    outside_filter: bool
    """True if the hit is outside the filter and only fills the list."""

    paper: Paper
    passage: str
    """Text for the reader: the passage, compressed or expanded."""

    previous: Chunk | None
    """Previous chunk in the paper, if `neighbours` are included."""

    rank: int
    """From 1, best first."""

    score: float
    """Score of the last scoring step; comparable within this query only."""

    section: Section
    selection: SelectionDetail | None
    """Selection details, if passages were selected."""


@dataclass(frozen=True, kw_only=True)
class Job(Model):
    """Ingestion or enrichment job with its progress."""

    collection: str
    created_at: datetime
    detail: str | None
    """Reason of the pause."""

    finished_at: datetime | None
    id: str
    kind: JobKind
    n_documents: int
    n_pending: int
    n_unchanged: int
    """Number of unchanged documents; they have no task."""

    progress: float
    """Fraction of finished documents, 0 to 1."""

    sources: tuple[str, ...]
    """Sources of the job; only names of local files."""

    stages: dict[str, int]
    """Number of running documents per stage."""

    state: JobState
    states: dict[str, int]
    """Number of documents per state."""

    waits_for: WaitsFor | None
    """What is missing for the job to go on, if anything; worker: no process works on jobs."""


@dataclass(frozen=True, kw_only=True)
class MoreNeighbours(Model):
    """Neighbours of a node by one type of relationship that are left out."""

    n: int
    type: LinkType


@dataclass(frozen=True, kw_only=True)
class NamedAnswer(Model):
    """Rows of a named query over the graph."""

    columns: tuple[str, ...]
    parameters: dict[str, Any]
    query: str
    """Name of the query."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, kw_only=True)
class NearLink(Model):
    """Relationship between two nodes of a neighbourhood."""

    from_id: str
    to_id: str
    type: LinkType
    weight: float | None
    """Similarity, 0 to 1, if the relationship has one."""


@dataclass(frozen=True, kw_only=True)
class NearNode(Model):
    """Node of a neighbourhood."""

    degree: int
    """Number of relationships of any type."""

    label: str
    more: tuple[MoreNeighbours, ...]
    """Neighbours that are left out, of a requested node."""

    name: str
    """Title, name, or beginning of a text."""

    node_id: str


@dataclass(frozen=True, kw_only=True)
class Neighbourhood(Model):
    """Nodes, the requested ones first, and relationships between them."""

    links: tuple[NearLink, ...]
    nodes: tuple[NearNode, ...]
    truncated: bool
    """True if neighbours are left out."""


@dataclass(frozen=True, kw_only=True)
class Node(Model):
    """A node of the graph, with what it is."""

    label: Literal["Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster"] | str
    node: Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster


@dataclass(frozen=True, kw_only=True)
class Paper(Model):
    """A research paper in a collection."""

    abstract: str
    arxiv_id: str | None
    arxiv_version: int | None
    authors: tuple[Author, ...]
    body_coverage: float | None
    """Fraction of the body text, without dropped sections, in chunks, 0 to 1."""

    categories: tuple[str, ...]
    chunker: str | None
    cleaning: tuple[str, ...]
    """Cleaning steps: drop-back-matter, mask-urls, trim-stops."""

    collection: str
    comment: str | None
    content_hash: str
    """sha-256 hex of the source's bytes."""

    doi: str | None
    format: str | None
    """Format of the source: markdown, text, pdf, jats, tei, latex, docx, html or record."""

    heading_source: str | None
    """Source of the headings: markup, outline, fonts, keywords, a service or none."""

    id: str
    ingested_at: datetime
    journal_ref: str | None
    key: str
    """doi:…, arxiv:… without version, upload:…, or file:… or another URL."""

    keys: tuple[str, ...]
    """All keys of this content."""

    license: str | None
    n_chunks: int
    n_pages: int | None
    n_pages_without_text: int | None
    """Number of pages without text."""

    n_sections: int
    primary_category: str | None
    published: datetime | None
    """Publication time of the first version."""

    sources: tuple[str, ...]
    """Sources of the content, one per key."""

    title: str
    updated: datetime | None
    """Publication time of this version."""

    url: str | None
    year: int | None


@dataclass(frozen=True, kw_only=True)
class PathStep(Model):
    """Step of a path."""

    direction: Direction
    """Outgoing if the relationship points along the path."""

    type: str


@dataclass(frozen=True, kw_only=True)
class Pipeline(Model):
    """Named, reproducible list of retrieval steps."""

    about: str
    name: str
    needs: tuple[str, ...]
    """Requirements: language model, reranker, enrichments."""

    reader: Reader
    """Input of the language model for an answer."""

    source: str
    """Origin of the method."""

    steps: tuple[Any, ...]
    """Steps in order, with all options."""


@dataclass(frozen=True, kw_only=True)
class ProblemError(Model):
    """Error in a field of a request."""

    field: str | None
    message: str
    reason: str | None = None
    """Reason of a refused upload, from a closed list."""


@dataclass(frozen=True, kw_only=True)
class Question(Model):
    """A question that a passage or a paper answers."""

    answer: str | None
    collection: str
    generator: str
    """Generator: model, template or extractive."""

    id: str
    model: str | None
    original: str | None
    """Original text, if edited."""

    paper_id: str
    review: str | None
    """Review: accepted, edited or null."""

    text: str


@dataclass(frozen=True, kw_only=True)
class RateLimit(Model):
    """What is left of a limit per minute."""

    left: int
    """Amount that is left."""

    limit: int
    """Amount per minute."""

    name: Literal["requests", "cost"] | str
    resets_in_s: int
    """Seconds until the whole amount is there again."""


@dataclass(frozen=True, kw_only=True)
class Reference(Model):
    """An entry of a paper's list of references."""

    arxiv_id: str | None
    authors: tuple[str, ...]
    collection: str
    doi: str | None
    id: str
    label: str
    """Label in the text of the paper."""

    ordinal: int
    """Position in the list, from 0."""

    paper_id: str
    text: str
    title: str | None
    year: int | None


@dataclass(frozen=True, kw_only=True)
class Region(Model):
    """Rectangle of a page, as shares (0 to 1) of its width and height from the upper left."""

    page: int
    """Page, from 1."""

    x0: float
    x1: float
    y0: float
    y1: float


@dataclass(frozen=True, kw_only=True)
class RelatedPaper(Model):
    """Related paper."""

    paper: Paper
    score: float
    """Higher is nearer; comparable within one kind of relation only."""

    shared: tuple[SharedNode, ...]
    """Up to five shared nodes, rarest first."""


@dataclass(frozen=True, kw_only=True)
class Relation(Model):
    """Relation between entities, stated by a paper."""

    chunk_ids: tuple[str, ...]
    direction: Direction
    """Outgoing if the relation points to the other entity."""

    entity: Entity
    """Related entity."""

    extractor: str
    paper_id: str
    type: str


@dataclass(frozen=True, kw_only=True)
class RetrieverScore(Model):
    """Score of one retriever for a hit."""

    query: int
    """Index of the query; 0 is the original."""

    rank: int
    """Rank in the list of this retriever, from 1."""

    retriever: RetrieverName
    score: float
    """The retriever's own."""

    via: tuple[SharedNode, ...]
    """Path from the query to the hit."""


@dataclass(frozen=True, kw_only=True)
class ReviewedQuestion(Model):
    """Effect of a decision."""

    decision: Decision
    ids: tuple[str, ...]
    """Ids of the question in the collection, or of the deleted ones."""

    original: str
    """Original text of the question."""

    text: str | None
    """Edited text, if any."""


@dataclass(frozen=True, kw_only=True)
class SameEntity(Model):
    """Same entity under another name."""

    entity: Entity
    evidence: str
    score: float
    """Confidence, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(Hits, Model):
    """Hits of a search, best first, with the trace of their retrieval."""

    draft: str | None
    """Draft answer for the reranker, if any."""

    filter: AppliedFilter | None
    hits: tuple[Hit, ...]
    pipeline: str
    queries: tuple[AskedQuery, ...]
    """Executed queries: the original and derived ones."""

    run: Any
    """Saved run for `papergraph pipelines replay`."""

    selection: SelectionReport | None
    """Certificate, if passages were selected."""

    trace: tuple[TraceStep, ...] | None
    warnings: tuple[str, ...]
    """What the search did otherwise than the pipeline says, such as on other chunks."""


@dataclass(frozen=True, kw_only=True)
class Section(Model):
    """A heading with the text up to the next one."""

    collection: str
    end_page: int | None
    id: str
    kind: str
    """front, abstract, body, references, acknowledgements or appendix."""

    level: int
    """Depth in the section tree, from 1."""

    ordinal: int
    """Position within the paper, from 0."""

    paper_id: str
    parent_id: str | None
    """The section above it, if any."""

    path: tuple[str, ...]
    """Headings above it and its own, outermost first."""

    start_page: int | None
    title: str


@dataclass(frozen=True, kw_only=True)
class SelectionDetail(Model):
    """Details of a selected passage."""

    marginal: float
    """Loss of the objective without this passage."""

    nearest: str | None
    """Most similar selected chunk."""

    nearest_similarity: float
    """Similarity to that chunk."""

    rank_before: int
    """Rank before the selection, from 1."""

    redundancy: float
    """Mean similarity to the other selected passages; 0 for a single one."""


@dataclass(frozen=True, kw_only=True)
class SelectionReport(Model):
    """Certificate of a selection; see docs/selection.md."""

    alpha: float
    backend: str
    certified_gain: float
    device: DeviceReport | None
    """Device report, if a device answered."""

    fallback: str | None
    """Reason of the fallback, if any."""

    form: Form
    gap: float
    k: int
    """Number of selected passages; fewer than k if no more fit."""

    lower_bound: float
    """Lower bound of the objective of any selection."""

    mean_pair_similarity: float
    mean_relevance: float
    ms: float
    objective: float
    proven: bool
    stage: str


@dataclass(frozen=True, kw_only=True)
class ServerInfo(Model):
    """What the server offers."""

    embedding_model: str
    has_cypher: bool
    """True if the server accepts Cypher queries."""

    language_model: str | None
    """Model that writes answers; null if there is none."""

    reranker: str | None
    """Cross-encoder for reranking; null if there is none."""

    uploads: UploadRules | None
    """Files that can be uploaded; null if none can."""

    version: str


@dataclass(frozen=True, kw_only=True)
class SharedNode(Model):
    """Node on a path of the graph, or a node that two papers share."""

    label: str
    name: str
    node_id: str


@dataclass(frozen=True, kw_only=True)
class SimilarChunk(Model):
    """Similar chunk of another paper."""

    chunk: Chunk
    score: float
    """Cosine similarity."""


@dataclass(frozen=True, kw_only=True)
class Source(Model):
    """Passage as the reader receives it."""

    hit: Hit
    instructions: int
    """Number of removed sentences that give instructions."""

    number: int
    """Number of the source, `[n]` in the answer."""

    text: str
    """Text without invisible characters and instructions."""


@dataclass(frozen=True, kw_only=True)
class StepPlace(Model):
    """Rank of a hit after a step; both count from 1."""

    rank: int
    step: int


@dataclass(frozen=True, kw_only=True)
class Suggestion(Model):
    """Node whose name has the typed words; offsets count characters (code points) from 0."""

    end: int
    """Character after the last one of the typed words."""

    label: Literal["Paper", "Author", "Entity", "Cluster"] | str
    node_id: str
    start: int
    """First character of the typed words in the text."""

    text: str
    """Title or name."""


@dataclass(frozen=True, kw_only=True)
class Task(Model):
    """Document of a job, or a paper to enrich."""

    attempts: int
    detail: str | None
    """Reason as text."""

    id: str
    key: str | None
    """Key of the resulting paper."""

    n_chunks: int
    n_sections: int
    next_try_at: datetime | None
    outcome: str | None
    """Effect: added, replaced, joined, unchanged or superseded."""

    reason: str | None
    """Reason of the failure, from a closed list."""

    source: str
    """Source of the document; only the name of a local file."""

    stage: str | None
    """Last stage: fetch, parse, chunk, embed, write, or an enrichment."""

    state: TaskState
    title: str | None


@dataclass(frozen=True, kw_only=True)
class TraceStep(Model):
    """Trace of a step."""

    candidates_in: int
    candidates_out: int
    cypher: tuple[CypherCall, ...]
    ms: float
    notes: tuple[str, ...]
    options: Any
    step: str


@dataclass(frozen=True, kw_only=True)
class Upload(Model):
    """Uploaded file."""

    content_hash: str
    """sha-256 hex of the bytes."""

    format: str
    """Format, detected from content and name."""

    id: str
    last_used_at: datetime | None
    """Time of the last use by a job."""

    name: str
    """File name; never used as a path."""

    size_bytes: int
    uploaded_at: datetime


@dataclass(frozen=True, kw_only=True)
class UploadRules(Model):
    """Files that can be uploaded."""

    endings: tuple[str, ...]
    """Endings of the names of files, such as .pdf."""

    max_bytes: int
    """Largest file."""


@dataclass(frozen=True, kw_only=True)
class Usage(Model):
    """Language model usage of all calls for a question."""

    cached: int
    cost: float
    """Cost in the currency of the configured prices."""

    estimated_tokens: int
    input_tokens: int
    output_tokens: int
    requests: int


@dataclass(frozen=True, kw_only=True)
class Viewer(Model):
    """Caller: the API key of the request, or this machine."""

    collections: tuple[str, ...] | None
    """Collections of the key; null for all."""

    expires_at: datetime | None
    """End of the key's validity; null for none."""

    is_local: bool
    """True if the server requires no key."""

    limits: tuple[RateLimit, ...]
    """What is left of each limit; empty without limits."""

    name: str
    """Name of the key; empty if the server requires none."""

    scopes: tuple[KeyScope, ...]
