"""Models of answers; written by ``python -m scripts.sdk`` from schema/openapi.json."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from papergraph_client._model import Model
from papergraph_client._views import Hits, HitView, Table

AnnotationKind = Literal["tag", "note", "star", "state", "highlight"] | str
"""Kind of an annotation. Open: new values may come."""

AnsweredBy = Literal["rules", "model", "person"] | str
"""What fills a column: rules, a language model, or only people. Open: new values may come."""

CellAction = Literal["accept", "reject", "set", "withdraw"] | str
"""What a person does with a cell; set and accept lock it, withdraw unlocks it. Open: new values may come."""

CellState = Literal["value", "not_reported", "contradicts", "unchecked"] | str
"""State of a cell; unchecked: the paper has no text, or a person rejected its value. Open: new values may come."""

Change = Literal["added", "removed", "renamed", "changed"] | str
"""Change of a section. Open: new values may come."""

Colour = Literal["yellow", "green", "blue", "pink", "purple"] | str
"""Colour of a highlight. Open: new values may come."""

Decision = Literal["accepted", "edited", "rejected"] | str
"""Decision about a question. Open: new values may come."""

Direction = Literal["outgoing", "incoming"] | str
"""Direction of a relationship: away from the node before it, or towards that node. Open: new values may come."""

DraftVerdict = Literal["supported", "partly", "contradicts", "not_said", "unchecked", "suggested"] | str
"""Result for a citation: what the cited paper says of the sentence. Open: new values may come."""

ExportFormat = Literal["md", "bibtex", "csl-json", "ris", "text"] | str
"""Format of exported papers. Open: new values may come."""

Facet = Literal["year", "category", "language", "author", "format", "venue", "keyword", "entity", "cluster"] | str
"""A respect in which papers are counted. Open: new values may come."""

Fault = (
    Literal["no_such_source", "not_in_source", "not_supported", "no_citation", "denied", "instruction", "address"] | str
)
"""Reason why generated text was dropped. Open: new values may come."""

Form = Literal["mean", "pairs"] | str
"""Form of the objective: how relevance and redundancy are weighed. Open: new values may come."""

HighlightKind = Literal["term", "best_sentence"] | str
"""Kind of a highlight: a word of the query, or the best sentence of the passage. Open: new values may come."""

InboxState = Literal["new", "accepted", "rejected", "never"] | str
"""State of an item: ``rejected`` returns if another source finds it, ``never`` does not. Open: new values may come."""

JobKind = Literal["documents", "enrichments", "tables"] | str
"""Kind of a job: documents to ingest, papers to enrich, or cells of an evidence table. Open: new values may come."""

JobState = Literal["queued", "running", "paused", "done", "cancelled"] | str
"""State of a job; a paused job waits until it is resumed. Open: new values may come."""

KeyScope = Literal["read", "ask", "ingest", "cypher", "admin"] | str
"""Scopes of keys. Open: new values may come."""

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

MapMethod = Literal["umap", "pca"] | str
"""Method that gave the places of a map: UMAP by the enrichment, or principal components. Open: new values may come."""

Mode = Literal["auto", "generative", "extractive"] | str
"""Writer: a language model if available (auto), always one, or sentences of the papers (extractive). Open: new values may come."""

PageWidth = Literal["160", "400", "800", "1200", "1600"] | str
"""Width of an image, in pixels: a closed list, so that few images of a page are kept. Open: new values may come."""

PaperSort = Literal["title", "year", "ingested", "cited"] | str
"""Order of papers: by title, newest year first, newest in the graph first, or most cited in the collection. Open: new values may come."""

Provider = Literal["person", "publisher", "arxiv", "document"] | str
"""Provider of a source's fields, the most trusted first. Open: new values may come."""

QuoteKind = Literal["answer", "highlight"] | str
"""Kind of a quote. Open: new values may come."""

Reader = Literal["passages", "questions", "pages", "topic"] | str
"""Form of the passages for a language model; each is a prompt of that name, which a user can replace. Open: new values may come."""

Reason = Literal["no_evidence", "out_of_scope", "unchecked", "model_unavailable"] | str
"""Reason of a refusal. Open: new values may come."""

ReferenceVerdict = Literal["exists", "mismatch", "title_found", "not_found", "unchecked"] | str
"""Result of the check of an entry. Open: new values may come."""

RelatedBy = Literal["vectors", "entities", "clusters", "citations"] | str
"""Relation between papers: vectors, shared entities, shared clusters, or citations. Open: new values may come."""

RetrieverName = (
    Literal["vector", "fulltext", "question", "prototype", "name", "entity", "cluster", "citation", "pagerank"] | str
)
"""Retriever. Open: new values may come."""

Role = Literal["read", "annotate", "edit", "administer"] | str
"""Roles in a collection; each includes those before it. Open: new values may come."""

ScreeningOrder = Literal["likely", "uncertain", "random"] | str
"""Order of open records: likeliest inclusions, least certain ones, or random. Open: new values may come."""

ScreeningStage = Literal["abstract", "text"] | str
"""Stages of screening: title and abstract, then the full text of what was included. Open: new values may come."""

ScreeningState = Literal["open", "conflict", "included", "excluded"] | str
"""State of a record at a stage; conflict: raters disagree, or one is unsure, and nobody resolved it. Open: new values may come."""

ScreeningVerdict = Literal["include", "exclude", "maybe", "open"] | str
"""Decision of a rater; open withdraws it. Open: new values may come."""

Stage = Literal["greedy", "certificate", "tabu", "branch and bound"] | str
"""Last stage of the solver before the proof or the deadline. Open: new values may come."""

Status = Literal["retracted", "concern", "corrected", "reinstated"] | str
"""Editorial status of a paper, by its notices. Open: new values may come."""

SummaryGenerator = Literal["model", "extractive"] | str
"""Generator of summaries: a language model, or a choice of central sentences. Open: new values may come."""

TaskState = Literal["queued", "stored", "running", "done", "failed", "quarantined", "cancelled"] | str
"""State of a task. Open: new values may come."""

Verdict = Literal["up", "down"] | str
"""Rating of an answer. Open: new values may come."""

WaitsFor = Literal["worker"] | str
"""Reason for which a job needs attention; worker: no process works on jobs. Open: new values may come."""


@dataclass(frozen=True, kw_only=True)
class Agreement(Model):
    """Agreement of the first two raters of records, with 95 % intervals."""

    ac1: float | None
    """Gwet's AC1, which rare inclusions do not distort."""

    ac1_high: float | None
    """Upper end."""

    ac1_low: float | None
    """Lower end of its interval."""

    kappa: float | None
    """Cohen's kappa; null if all decisions are of one kind."""

    kappa_high: float | None
    """Upper end."""

    kappa_low: float | None
    """Lower end of its interval."""

    n: int
    """Number of records that both decided."""

    n_agreed: int
    """Number of those with equal decisions."""


@dataclass(frozen=True, kw_only=True)
class Annotation(Model):
    """What a reader added to a paper: a tag, a note, a star, a reading state or a highlight with a comment."""

    author: str | None
    """Name of the key that made it, if any."""

    boxes: tuple[tuple[float, ...], ...]
    """Rectangles of a highlight: page, left, upper, right and lower edge, as shares of the page."""

    can_change: bool
    """True if the caller may change it."""

    changed_at: datetime
    """Time of its last change."""

    collection: str
    """Collection of the paper."""

    colour: Colour | None
    """Colour of a highlight."""

    created_at: datetime
    """Time when it was made."""

    end_char: int | None
    """Character after the last one."""

    id: str
    """Id of the annotation."""

    is_mine: bool
    """True if the caller made it."""

    is_orphan: bool
    """True for a highlight whose words are no longer in the paper."""

    kind: AnnotationKind
    """Kind of the annotation."""

    paper_id: str
    """Id of the paper."""

    paper_notice: str | None
    """Its deciding notice, as: status | day | source | DOI of the notice | reason."""

    paper_status: str | None
    """Editorial status of the paper now: retracted, concern, corrected or reinstated."""

    paper_title: str
    """Title of the paper."""

    prefix: str | None
    """Words before the marked ones."""

    quote: str | None
    """Marked words of a highlight."""

    shared: bool
    """True if everybody who reads the collection sees it."""

    start_char: int | None
    """First character in the text of the paper; null if it lacks the words."""

    suffix: str | None
    """Words after the marked ones."""

    text: str
    """Name of a tag, text of a note, comment of a highlight, or reading state."""


@dataclass(frozen=True, kw_only=True)
class AnswerAttempt(Model):
    """Answer of one pipeline and reader, with the figures that it is compared by."""

    accepted: float
    """Share of the written sentences that was accepted, 0 to 1."""

    answerability: float | None
    """Estimated probability that the passages hold an answer, 0 to 1."""

    citations: tuple[AnswerCitation, ...]
    """Citations of the text, in its order."""

    dropped_sentences: int
    """Number of sentences that failed verification."""

    grounded_sentences: int
    """Number of sentences with an accepted citation."""

    llm_generated: bool
    """True if a language model wrote the text."""

    message: str | None
    """Reason of a refusal as text."""

    pipeline: str
    """Name of the pipeline."""

    reader: Reader
    """Input of the language model."""

    reason: Reason | None
    """Reason of a refusal."""

    text: str | None
    """Sentences, each with its citations [n]; null for a refusal."""

    usage: ModelUsage
    """Language model usage of this attempt."""


@dataclass(frozen=True, kw_only=True)
class AnswerCitation(Model):
    """Quote that occurs verbatim in a chunk."""

    answer_end: int
    """Character after [number] in the text of the answer."""

    answer_start: int
    """Start of [number] in the text of the answer."""

    chunk_id: str
    """Id of the chunk."""

    claim_end: int
    """Character after the cited sentence."""

    claim_start: int
    """Start of the cited sentence."""

    end: int
    """Character after the quote in the text of the chunk."""

    file: str | None
    """Name of the file that the paper was read from."""

    number: int
    """Number of the source; [number] marks it in the answer."""

    page: int | None
    """Page of the quote, from 1, if there are pages."""

    paper_id: str
    """Id of the paper."""

    paper_status: str | None
    """Editorial status of the paper now: retracted, concern, corrected or reinstated."""

    paper_title: str
    """Title of the paper."""

    quote: str
    """The words of the chunk."""

    quoted: bool
    """True if the cited sentence stands in the paper word for word; otherwise the quote supports it."""

    section_path: tuple[str, ...]
    """Headings above the quote, outermost first."""

    start: int
    """Start of the quote in the text of the chunk, in characters."""

    url: str | None
    """Address of the paper, if known."""


@dataclass(frozen=True, kw_only=True)
class AnswerRating(Model):
    """Rating of a stored answer by a reader."""

    comment: str
    """Reason in words; may be empty."""

    rated_at: datetime
    """Time of the rating."""

    verdict: Verdict
    """Good or bad."""


@dataclass(frozen=True, kw_only=True)
class AnswerState(Model):
    """A stored answer, and what became of its quotes."""

    asked: str
    """Question as it was asked."""

    asked_at: datetime
    """Time of the answer."""

    id: str
    """Id of the answer."""

    is_refusal: bool
    """True if the papers did not answer."""

    n_lost: int
    """Quotes that their paper no longer has, because it changed or was deleted."""

    n_quotes: int
    """Number of different quotes."""

    statuses: tuple[str, ...]
    """Editorial statuses of the quoted papers, such as retracted."""


@dataclass(frozen=True, kw_only=True)
class ApiKey(Model):
    """API key without its secret."""

    collections: tuple[str, ...] | None
    """Collections of the key; null for all."""

    common_tokens_per_day: int | None
    """Tokens per day of all keys of its invitation together; null for no such limit."""

    cost_per_minute: int | None
    """Limit of its own; null for that of the server."""

    created_at: datetime
    """Time of the creation."""

    creators: tuple[str, ...]
    """Ids of the keys that it was made with, from the first one."""

    expires_at: datetime | None
    """End of the validity; null for none."""

    id: str
    """Part of the key that is no secret."""

    last_used_at: datetime | None
    """Time of the last use, to the minute."""

    name: str
    """Use of the key."""

    requests_per_minute: int | None
    """Limit of its own; null for that of the server."""

    revoked_at: datetime | None
    """Time of the revocation, if any."""

    roles: tuple[CollectionRole, ...]
    """Roles of its account, by collection."""

    scopes: tuple[KeyScope, ...]
    """Scopes of the key."""

    signed_up_by: str | None
    """Id of the invitation that it was signed up with; null for other keys."""

    state: Literal["valid", "expired", "revoked"] | str
    """State of the key."""


@dataclass(frozen=True, kw_only=True)
class AppliedFilter(Model):
    """Applied filter."""

    filter: str
    """Summary of the filter."""

    match_summary: str
    """Numbers of passing papers and chunks, and passing kinds."""

    unknown: tuple[str, ...]
    """Values without a match in the collections, such as "authors 'Ada Lovelace'"; they let nothing pass. For years, the number of papers without one."""


@dataclass(frozen=True, kw_only=True)
class AskAnswer(Model):
    """Answer or refusal."""

    answerability: float | None
    """Answerability: estimated probability that the passages hold an answer, 0 to 1."""

    attempts: tuple[AnswerAttempt, ...]
    """Answers of all pipelines and readers, the best first, which is this one; empty if there were not several."""

    citations: tuple[AnswerCitation, ...]
    """The citations, in the order of the text."""

    dropped: tuple[DroppedText, ...]
    """Generated text that failed verification."""

    grounded: bool
    """True if all generated text passed verification; false for a refusal."""

    id: str
    """Id of this answer or refusal."""

    kind: Literal["answer", "refusal"] | str
    """An answer, or a refusal."""

    llm_generated: bool
    """True if a language model wrote the answer."""

    message: str | None
    """Reason of a refusal as text."""

    model: str | None
    """Name of the language model, if one wrote the answer."""

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

    usage: ModelUsage
    """Tokens and cost of the language model for the answer."""

    warnings: tuple[str, ...]
    """Warnings about degraded steps."""


@dataclass(frozen=True, kw_only=True)
class AskedQuery(Model):
    """Executed query."""

    origin: str
    """Origin: query, rewrite, parts, feedback, …."""

    text: str
    """Text of the query."""


@dataclass(frozen=True, kw_only=True)
class Author(Model):
    """Author of papers of a collection."""

    collection: str
    """Collection of the papers."""

    id: str
    """sha-256 hex of collection and key."""

    name: str
    """Name as the papers print it."""


@dataclass(frozen=True, kw_only=True)
class BrokenQuote(Model):
    """A quote that the present text of its paper lacks."""

    about: str
    """Question of the answer, or comment of the highlight; may be empty."""

    id: str
    """Id of the stored answer or highlight."""

    kind: QuoteKind
    """answer (a stored answer) or highlight."""

    paper_id: str
    """Id of the paper."""

    paper_title: str
    """Title of the paper."""

    quote: str
    """The missing words."""


@dataclass(frozen=True, kw_only=True)
class Candidate(Model):
    """Record of a screening, as a rater may see it."""

    abstract: str
    """Abstract, of the record or one that repeats it; may be empty."""

    arxiv_id: str | None
    """arXiv id without version."""

    authors: tuple[str, ...]
    """Names in order."""

    decisions: tuple[RaterDecision, ...]
    """Decisions at the stage that the caller may see."""

    doi: str | None
    """DOI in lower case."""

    id: str
    """Id of the record."""

    journal_ref: str | None
    """Place of publication."""

    paper_id: str | None
    """Id of the paper of the collection with its DOI, if any."""

    pmid: str | None
    """Id at PubMed."""

    reason: str
    """Reason of its exclusion; may be empty."""

    score: float | None
    """How likely it is included, in [0, 1]; null before both kinds exist."""

    sources: tuple[str, ...]
    """Databases that have it, by name."""

    state: ScreeningState
    """State at the stage: open, conflict, included or excluded."""

    title: str
    """Title; may be empty."""

    url: str | None
    """Page about it."""

    words: tuple[str, ...]
    """Words that moved the score most, each as +word or -word."""

    year: int | None
    """Year of publication."""


@dataclass(frozen=True, kw_only=True)
class CellChange(Model):
    """Cell whose value differs between two times."""

    after: str
    """Value at the second time."""

    before: str
    """Value at the first time."""

    column: str
    """Name of the column."""

    maker: str
    """Maker of the later one."""

    paper_id: str
    """Id of the paper."""

    state_after: str
    """State at the second time; empty for none."""

    state_before: str
    """State at the first time; empty for none."""

    title: str
    """Title of the paper."""


@dataclass(frozen=True, kw_only=True)
class CellQuote(Model):
    """Quote of a paper that proves a cell."""

    boxes: tuple[tuple[float, ...], ...]
    """Rectangles on the pages: page, left, upper, right and lower edge, as shares of the page."""

    chunk_id: str
    """Id of the chunk that has the words."""

    end_char: int
    """Character after the last one."""

    head: tuple[str, ...]
    """Names of the table's columns, for a row of a table."""

    kind: str
    """table, caption, equation, or the kind of the section."""

    page: int | None
    """Page, from 1, if there are pages."""

    section: str
    """Headings above the words."""

    start_char: int
    """First character in the source text."""

    text: str
    """Words of the paper, letter by letter."""


@dataclass(frozen=True, kw_only=True)
class CheckedReference(Model):
    """Entry of a bibliography with the result of its check."""

    date: str | None
    """Day of the deciding notice."""

    detail: str
    """Reason in words; may be empty."""

    doi: str | None
    """DOI of the entry."""

    found_doi: str | None
    """DOI of the work that was found."""

    found_title: str | None
    """Title of the work that was found."""

    key: str
    """Citation key; may be empty."""

    line: int
    """Line of the entry in the file, from 1."""

    paper_id: str | None
    """Id of the paper in the collection, if it is there."""

    status: str | None
    """retracted, concern, corrected or reinstated, if a notice is known."""

    title: str
    """Title, as the entry states it."""

    verdict: ReferenceVerdict
    """exists: the DOI or arXiv id is of a work with this title; mismatch: of another title; title_found: a work with this title has another DOI or the entry none; not_found; unchecked: nothing could be asked."""


@dataclass(frozen=True, kw_only=True)
class Chunk(Model):
    """Chunk of the text of a section."""

    collection: str
    """Collection of the paper."""

    end_char: int
    """Character after the last one in the source text."""

    end_page: int | None
    """Last page, if there are pages."""

    figure: tuple[float, ...]
    """Place of the picture of a caption in a PDF: page from 1, then left, upper, right and lower edge as shares of the page; empty without one."""

    id: str
    """sha-256 hex of section and place."""

    kind: str
    """table, equation, caption or parent; for running text, the kind of its section."""

    level: int
    """Level in a hierarchy of chunks; 0 is the finest."""

    n_tokens: int
    """Length in tokens of the embedding model."""

    ordinal: int
    """Position within the paper, from 0."""

    paper_id: str
    """Id of the paper."""

    section_id: str
    """Id of the section."""

    start_char: int
    """First character in the source text, from 0."""

    start_page: int | None
    """First page, from 1, if there are pages."""

    text: str
    """Text of the chunk."""


@dataclass(frozen=True, kw_only=True)
class ChunkMention(Model):
    """A chunk that mentions an entity."""

    chunk: Chunk
    """The chunk."""

    extractor: str
    """Extractor of the mention."""

    names: tuple[str, ...]
    """Spellings in the chunk."""

    offsets: tuple[int, ...]
    """Offsets of the mentions in the text, from 0."""


@dataclass(frozen=True, kw_only=True)
class Cluster(Model):
    """Cluster of papers or passages."""

    collection: str
    """Collection of the papers."""

    field: str | None
    """Metadata field, such as task."""

    id: str
    """sha-256 hex of collection, kind and members."""

    keywords: tuple[str, ...]
    """Distinctive terms, strongest first."""

    kind: str
    """metadata (papers with one value), topic (similar chunks) or community (linked papers)."""

    level: int
    """Level in the hierarchy; 0 is the finest."""

    n_members: int
    """Number of papers or chunks, including those of subclusters."""

    name: str
    """Metadata value, or distinctive terms."""

    value: str | None
    """Metadata value."""


@dataclass(frozen=True, kw_only=True)
class Collection(Model):
    """Collection with its counts."""

    description: str | None
    """Use of the collection, if described."""

    ingested_at: datetime
    """Time of the last write of a paper; of an empty collection, its creation."""

    language_warnings: tuple[str, ...]
    """Warnings that searches may miss papers, one for each unsupported language."""

    n_authors: int
    """Number of authors."""

    n_chunks: int
    """Number of chunks."""

    n_clusters: int
    """Number of clusters."""

    n_entities: int
    """Number of entities."""

    n_papers: int
    """Number of papers."""

    n_questions: int
    """Number of questions."""

    n_references: int
    """Number of references."""

    n_sections: int
    """Number of sections."""

    name: str
    """Name of the collection."""

    subject: str | None
    """Subject of its papers, if set."""

    title: str
    """Title for people; by default the name."""


@dataclass(frozen=True, kw_only=True)
class CollectionRole(Model):
    """Role of an account in a collection."""

    collection: str
    """Name of the collection."""

    role: Role
    """Role, which decides there instead of the scopes."""


@dataclass(frozen=True, kw_only=True)
class CollectionSubject(Model):
    """Subject of the papers of a collection."""

    collection: str
    subject: str | None


@dataclass(frozen=True, kw_only=True)
class ColumnReport(Model):
    """Counts of a column, and the agreement of machine and person."""

    agreement: float | None
    """Share of equal ones, in [0, 1]; null without any."""

    agreement_high: float | None
    """Upper end."""

    agreement_low: float | None
    """Lower end of its 95 % interval, by Wilson."""

    largest: float | None
    """Largest number."""

    least: float | None
    """Smallest number."""

    median: float | None
    """Median of numbers; null for other types."""

    n_agreed: int
    """Number of those with equal values."""

    n_compared: int
    """Number of cells with a finding of both machine and person."""

    n_contradicts: int
    """Number of papers that contradict themselves."""

    n_locked: int
    """Number of cells that a person set."""

    n_missing: int
    """Number of cells before their first run."""

    n_not_reported: int
    """Number of papers that do not report it."""

    n_papers: int
    """Number of papers."""

    n_stale: int
    """Number of outdated cells."""

    n_unchecked: int
    """Number of unchecked cells."""

    n_values: int
    """Number of cells with a value."""

    name: str
    """Name of the column."""


@dataclass(frozen=True, kw_only=True)
class CopiedPaper(Model):
    """A paper in the collection that it was copied to."""

    copied: bool
    """False if the other collection had the paper already; it is left as it was."""

    copy_id: str
    """Id of the paper in the other collection."""

    key: str
    """Key of the paper."""

    moved: bool
    """True if it left its collection; not if its texts, fields or edits are not all in the other."""

    paper_id: str
    """Id of the paper."""


@dataclass(frozen=True, kw_only=True)
class CopiedPapers(Model):
    """Papers copied to another collection."""

    collection: str
    """Collection of the copies."""

    n_copied: int
    """Number of papers that were copied."""

    papers: tuple[CopiedPaper, ...]
    """The papers, in the order of the request, each once."""


@dataclass(frozen=True, kw_only=True)
class Counted(Model):
    """Number of records of a database, or of a reason."""

    n: int
    """Number of records."""

    name: str
    """Name of the database, or the reason."""


@dataclass(frozen=True, kw_only=True)
class CreatedInvitation(Model):
    """New invitation with its text, which is shown once."""

    invitation: InvitationInfo
    """The invitation."""

    text: str
    """The invitation as a sign-up sends it; a page of the server takes it at /signup#TEXT."""


@dataclass(frozen=True, kw_only=True)
class CreatedKey(Model):
    """New API key with its text, which is shown once."""

    key: ApiKey
    """The key."""

    text: str
    """The key as requests send it."""


@dataclass(frozen=True, kw_only=True)
class CurvePoint(Model):
    """Point of the curve of found records."""

    n_decided: int
    """Number of decided records."""

    n_included: int
    """Number of those that were included."""


@dataclass(frozen=True, kw_only=True)
class CypherCall(Model):
    """Cypher query that was run."""

    file: str
    """File below cypher/, without .cypher."""

    ms: float
    """Duration with all attempts, in milliseconds."""

    parameters: dict[str, Any]
    """Parameters; vectors and long lists as their length."""

    records: int
    """Number of returned records."""


@dataclass(frozen=True, kw_only=True)
class CypherGraph(Model):
    """Distinct nodes and relationships in the rows."""

    as_of: datetime | None
    """Creation time of the replica, if a replica is queried."""

    ms: float
    """Duration of the query in milliseconds."""

    n_rows: int
    """Number of rows."""

    nodes: tuple[GraphNode, ...]
    """Nodes."""

    relationships: tuple[GraphRelationship, ...]
    """Relationships."""

    truncated: Literal["rows", "bytes"] | str | None
    """Limit that cut the rows: rows, bytes, or null if complete."""


@dataclass(frozen=True, kw_only=True)
class CypherRows(Table, Model):
    """Result of a Cypher query."""

    as_of: datetime | None
    """Creation time of the replica, if a replica is queried."""

    columns: tuple[str, ...]
    """Names of the columns."""

    ms: float
    """Duration of the query in milliseconds."""

    n_rows: int
    """Number of rows."""

    problem: dict[str, Any] | None
    """Error after the first rows were sent, if any."""

    rows: tuple[tuple[Any, ...], ...]
    """Rows; values in the order of the columns."""

    truncated: Literal["rows", "bytes"] | str | None
    """Limit that cut the rows: rows, bytes, or null if complete."""


@dataclass(frozen=True, kw_only=True)
class DecidedAuthor(Model):
    """An author after a decision."""

    aliases: tuple[str, ...]
    """Other spellings."""

    author_id: str
    """Id of the author."""

    key: str | None
    """ORCID or other id of the person; null for one known by name."""

    name: str
    """Name, the first of the spellings in use."""

    paper_ids: tuple[str, ...]
    """The author's papers."""


@dataclass(frozen=True, kw_only=True)
class DecidedEntities(Model):
    """Two entities after a decision."""

    entity_id: str
    """Id of the first."""

    name: str
    """Name of the first."""

    other_id: str
    """Id of the second."""

    other_name: str
    """Name of the second."""

    same: bool
    """True if both are the same."""


@dataclass(frozen=True, kw_only=True)
class DecidedPaper(Model):
    """A paper after a merge, a split, or their undoing."""

    n_undone: int
    """Number of decisions that were taken back."""

    paper_id: str
    """Id of the merged paper, of the one that was split off, or of the one named."""

    sources: tuple[str, ...]
    """Names of its documents and records."""

    title: str
    """Title."""


@dataclass(frozen=True, kw_only=True)
class DecidedProposal(Model):
    """A proposal that was rejected, or whose rejection was taken back."""

    rejected: bool
    """True if it is not proposed again."""


@dataclass(frozen=True, kw_only=True)
class DeletedAnnotations(Model):
    """Annotations that were deleted."""

    ids: tuple[str, ...]
    """Their ids."""


@dataclass(frozen=True, kw_only=True)
class DeletedAnswer(Model):
    """A stored answer that was deleted."""

    id: str
    """Id of the answer."""


@dataclass(frozen=True, kw_only=True)
class DeletedCollection(Model):
    """A collection that was deleted, or as much of it as fits into a request."""

    n_deleted: int
    """Number of deleted papers."""

    n_left: int
    """Number of papers that are left; repeat the request until it is 0."""

    name: str
    """Name that the collection had."""


@dataclass(frozen=True, kw_only=True)
class DeletedPaper(Model):
    """A paper that was deleted."""

    keys: tuple[str, ...]
    """Keys of the deleted paper."""

    paper_id: str
    """Id that the paper had."""


@dataclass(frozen=True, kw_only=True)
class DeletedScreening(Model):
    """Screening that was deleted."""

    id: str
    """Its id."""

    name: str
    """Its name."""


@dataclass(frozen=True, kw_only=True)
class DeletedTable(Model):
    """Table that was deleted."""

    id: str
    """Its id."""

    name: str
    """Its name."""


@dataclass(frozen=True, kw_only=True)
class DeletedWatch(Model):
    """A watch that was deleted."""

    id: str
    """Its id."""


@dataclass(frozen=True, kw_only=True)
class DeviceReport(Model):
    """Report of an Ising device; see docs/selection.md#ising-device."""

    attempts: int
    """Number of calls of the device, 1 or 2."""

    corrected: str | None
    """Declared convention that the device violates."""

    coupling_bits: int | None
    """Bits of a coupling on the device; null for floating point."""

    device_ms: float | None
    """Time reported by the device."""

    feasible_reads: int
    """Number of states of the right size."""

    name: str
    """Name of the device."""

    objective_polished: float
    """Objective of the best state after local search."""

    objective_sampled: float
    """Objective of the best state after repair."""

    penalty: float
    """Weight of the constraint on the size of the selection."""

    quantisation_bound: float
    """Upper bound of the energy error."""

    quantisation_error: float
    """Largest rounding error of an energy."""

    reads: int
    """Number of returned states."""

    spins: int
    """Number of candidates, after certified fixing and the cut to what the device can hold."""

    wall_ms: float
    """Duration of the calls in milliseconds."""


@dataclass(frozen=True, kw_only=True)
class DocumentPreview(Model):
    """Document before it is stored."""

    authors: tuple[str, ...]
    """Authors."""

    detail: str | None
    """Reason of the refusal, or what is left out of it."""

    doi: str | None
    """DOI."""

    file: str | None
    """Name of the text that its record names."""

    source: str
    """Source of the document; only the name of a local file."""

    title: str | None
    """Title."""

    year: int | None
    """Year."""


@dataclass(frozen=True, kw_only=True)
class DraftCitation(Model):
    """Sentence of a draft with one of its citations, or an uncited one with a suggested citation."""

    cited: str
    """Citation key or number; empty for a suggestion."""

    detail: str
    """Reason as text; empty if supported."""

    number: int
    """Number of the sentence in the draft, from 1."""

    paper_id: str | None
    """Id of the paper in the library; null if it is absent."""

    paper_title: str | None
    """Title of the paper."""

    quotes: tuple[DraftQuote, ...]
    """Sentences that support or contradict it, or the nearest one."""

    reference: str
    """Entry of the bibliography; may be empty."""

    section: str
    """Heading above the sentence."""

    sentence: str
    """The sentence as written."""

    verdict: DraftVerdict
    """Result; suggested: an uncited sentence that this paper supports."""


@dataclass(frozen=True, kw_only=True)
class DraftQuote(Model):
    """Sentence of a paper of the library."""

    chunk_id: str
    """Id of the chunk."""

    page: int | None
    """Page, from 1, if there are pages."""

    text: str
    """The words of the chunk."""


@dataclass(frozen=True, kw_only=True)
class DraftReport(Model):
    """Check of all citations of a draft."""

    citations: tuple[DraftCitation, ...]
    """Checked citations, in the order of the draft."""

    collection: str
    """Collection of the cited papers."""

    left_out: int
    """Number of citations beyond the limit of one check."""

    n_sentences: int
    """Number of sentences in the draft."""

    name: str
    """Name of the file."""

    warnings: tuple[str, ...]
    """Warnings about skipped checks."""


@dataclass(frozen=True, kw_only=True)
class DroppedText(Model):
    """Generated text that failed verification."""

    detail: str
    """Reason as text."""

    fault: Fault
    """Reason, from a closed list."""

    text: str
    """The dropped sentence or citation."""


@dataclass(frozen=True, kw_only=True)
class DuplicatePair(Model):
    """Record that repeats another one, or may do so."""

    by: str
    """What is equal: doi, pmid, title; person; or possible: they were not joined."""

    doi: str | None
    """Its DOI, if any."""

    id: str
    """Id of the record that repeats."""

    kept_doi: str | None
    """Its DOI, if any."""

    kept_id: str
    """Id of the record that is kept."""

    kept_line: int
    """Its line in its file."""

    kept_source: str
    """Its database."""

    kept_title: str
    """Its title."""

    kept_year: int | None
    """Its year, if known."""

    line: int
    """Its line in its file."""

    source: str
    """Its database."""

    title: str
    """Its title."""

    year: int | None
    """Its year, if known."""


@dataclass(frozen=True, kw_only=True)
class EditedPaper(Model):
    """A paper whose fields were edited."""

    fields: tuple[PaperField, ...]
    """The fields that the request named, as they are now; one that nobody states is missing."""

    paper_id: str
    """Id of the paper; a new one if a DOI or arXiv id makes it another paper of the graph."""


@dataclass(frozen=True, kw_only=True)
class EnrichmentEstimate(Model):
    """Estimate of enrichments; requests, tokens and cost are upper bounds, `expected` has the likely values."""

    collection: str
    """Collection of the papers."""

    cost: float
    """Cost at the configured prices."""

    enrichments: tuple[str, ...]
    """Names of the enrichments."""

    expected: tuple[ExpectedUsage, ...]
    """Expected use of the language model, by enrichment."""

    n_chunks: int
    """Chunks of the papers that lack one."""

    n_due: int
    """Papers that lack one of the enrichments."""

    n_papers: int
    """Papers of the collection."""

    n_read: int
    """Number of papers in the sample; the others are extrapolated from it."""

    n_requests: int
    """Requests to the language model, those for what is kept in the cache included."""

    n_tokens: int
    """Tokens of their input and output together."""

    spanning: tuple[str, ...]
    """Enrichments over the whole collection that would be made again."""


@dataclass(frozen=True, kw_only=True)
class Entity(Model):
    """Method, data set, measure or other entity that papers mention."""

    aliases: tuple[str, ...]
    """Other spellings, abbreviations and long forms."""

    collection: str
    """Collection of the papers."""

    id: str
    """sha-256 hex of collection and name."""

    name: str
    """Most frequent spelling."""

    page_rank: float | None
    """PageRank in the co-mention graph, 1 on average; null if not computed."""

    type: str
    """Most frequent type of its mentions."""


@dataclass(frozen=True, kw_only=True)
class EntityMention(Model):
    """An entity that a chunk mentions."""

    entity: Entity
    """The entity."""

    extractor: str
    """Extractor of the mention."""

    names: tuple[str, ...]
    """Spellings in the chunk."""

    offsets: tuple[int, ...]
    """Offsets of the mentions in the text, from 0."""


@dataclass(frozen=True, kw_only=True)
class EntityOfPaper(Model):
    """An entity that a paper mentions."""

    entity: Entity
    """The entity."""

    n_chunks: int
    """Number of mentioning chunks of the paper."""


@dataclass(frozen=True, kw_only=True)
class EstimatedNumber(Model):
    """A number that was counted, or estimated from a sample."""

    high: int
    """In 95 of 100 samples it is at most this; `value` where it was counted."""

    low: int
    """In 95 of 100 samples it is at least this; `value` where it was counted."""

    value: int
    """The number."""


@dataclass(frozen=True, kw_only=True)
class ExpectedUsage(Model):
    """Expected use of the language model by an enrichment, if the model gives as much as it is asked for."""

    cost: float
    """Cost at the configured prices."""

    enrichment: str
    """Name of the enrichment."""

    n_requests: int
    """Requests, without answers in the cache and repairs."""

    n_tokens: int
    """Tokens of their input and output together."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Model):
    """Explanation of the rank of a hit."""

    merged_chunk_ids: tuple[str, ...]
    """Chunks that were merged into this one."""

    rank_history: tuple[StepPlace, ...]
    """Rank after each ordering step."""

    retrievers: tuple[RetrieverScore, ...]
    """Scores of the retrievers that found the hit."""

    via: tuple[Via, ...]
    """Graph path from the query to this passage, if any."""

    why_not_higher: str
    """Reasons for the rank below the previous hit; empty for the first."""


@dataclass(frozen=True, kw_only=True)
class ExportedFile(Model):
    """A file of an export."""

    name: str
    """Name to save it by."""

    text: str
    """Its text."""


@dataclass(frozen=True, kw_only=True)
class FacetCounts(Model):
    """Values of papers in one respect, the most frequent first."""

    facet: Facet
    """Counted field."""

    values: tuple[FacetValue, ...]
    """The values with their numbers."""


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
class Feed(Model):
    """Addresses of a watch's feed; whoever has one can read it, until another is made or it is revoked."""

    atom: str | None
    """Path of the Atom feed on this server; null after it was revoked."""

    id: str
    """Id of the watch."""

    json_feed: str | None
    """Path of the JSON feed; null after it was revoked."""


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
    """The chunk of the passage."""

    explanation: Explanation | None
    """Explanation of the rank, if `explanation` is included."""

    highlights: tuple[Highlight, ...] | None
    """Words of the query in the passage, and its best sentence, if `highlights` are included."""

    next: Chunk | None
    """Next chunk in the paper, if `neighbours` are included."""

    outside_filter: bool
    """True if the hit is outside the filter and only fills the list."""

    paper: Paper
    """The paper of the passage."""

    passage: str
    """Text for the reader: the passage, compressed or expanded."""

    previous: Chunk | None
    """Previous chunk in the paper, if `neighbours` are included."""

    rank: int
    """From 1, best first."""

    relations: tuple[RelationPath, ...]
    """Relations of entities near to the query, if the pipeline adds them."""

    score: float
    """Score of the last scoring step; comparable within this query only."""

    section: Section
    """The section in which the passage begins."""

    sections: tuple[PassageSection, ...]
    """Sections of the passage in reading order; several if it crosses headings."""

    selection: SelectionDetail | None
    """Selection details, if passages were selected."""


@dataclass(frozen=True, kw_only=True)
class ImportedFile(Model):
    """File of search results that was imported."""

    at: datetime
    """Time of the import."""

    n_records: int
    """Number of its records."""

    n_refused: int
    """Number of entries that could not be read."""

    name: str
    """Name of the file."""

    refused: tuple[str, ...]
    """The first of these, each with line and reason."""

    sha256: str
    """sha-256 hex of its bytes."""

    source: str
    """Database that was searched."""


@dataclass(frozen=True, kw_only=True)
class InboxDecision(Model):
    """Items that were decided."""

    ids: tuple[str, ...]
    """Their ids."""

    job_id: str | None
    """Job that writes accepted papers; null if none does."""

    state: InboxState
    """Their state now."""


@dataclass(frozen=True, kw_only=True)
class InboxItem(Model):
    """A work that a watch found."""

    abstract: str
    """Abstract; may be empty."""

    arxiv_id: str | None
    """arXiv id without version."""

    authors: tuple[str, ...]
    """Names in order."""

    collection: str
    """Collection that it was found for."""

    decided_at: datetime | None
    """Time of the decision."""

    doi: str | None
    """DOI in lower case."""

    found_at: datetime
    """Time when it was found first."""

    id: str
    """Id of the item."""

    journal_ref: str | None
    """Place of publication."""

    near: tuple[NearPaper, ...]
    """Nearest papers of the collection."""

    score: float
    """How likely it is accepted, in [0, 1]."""

    sources: tuple[str, ...]
    """Ids of the watches that found it."""

    state: InboxState
    """new, accepted, rejected or never."""

    title: str
    """Title."""

    words: tuple[str, ...]
    """Words that moved the score most, each as +word or -word; empty without decisions."""

    year: int | None
    """Year of publication."""


@dataclass(frozen=True, kw_only=True)
class IncomingChange(Model):
    """A change that a sync would bring."""

    change: str
    """Kind of change, such as `new` or `deleted in Zotero`."""

    title: str
    """Title of the item or file, or words of the tag, note or highlight."""


@dataclass(frozen=True, kw_only=True)
class IngestionEstimate(Model):
    """Estimate of an ingestion."""

    chunks: EstimatedNumber
    """Their chunks."""

    collection: str
    """Collection of the papers."""

    cost: float
    """Cost of the tokens at the configured price; 0 for a local model."""

    documents: tuple[DocumentPreview, ...]
    """Parsed documents, and those that were refused."""

    embedding_seconds: float | None
    """Time for embedding."""

    n_documents: int
    """Documents that were found."""

    n_refused: int
    """Number of refused documents: files that are no documents, or that the sample failed to parse."""

    n_sampled: int
    """Number of parsed documents; `papers` and all below are exact if all were parsed, else extrapolated."""

    n_unchanged: int
    """Number of documents that are stored already and stay unchanged."""

    papers: EstimatedNumber
    """Papers that would be written."""

    preparing_seconds: float | None
    """Time for reading, parsing and cutting, in one process, or None where nothing could be measured."""

    texts: EstimatedNumber
    """Texts that would be embedded: calls of the embedding model, in batches of its own."""

    tokens: EstimatedNumber
    """Tokens of these."""


@dataclass(frozen=True, kw_only=True)
class InvitationGrant(Model):
    """Properties of a key that would be created with an invitation now."""

    collections: tuple[str, ...] | None
    """Collections of the key; null for all."""

    common_tokens_per_day: int | None
    """Tokens per day of all keys of the invitation together; null for no such limit."""

    cost_per_minute: int | None
    """Limit of the key; null for that of the server."""

    expires_at: datetime
    """End of the invitation."""

    key_expires_at: datetime | None
    """End of the key; null for no end."""

    n_left: int
    """Number of keys that the invitation is still good for."""

    name: str
    """Recipient of the invitation."""

    requests_per_minute: int | None
    """Limit of the key; null for that of the server."""

    scopes: tuple[KeyScope, ...]
    """Scopes of the key."""


@dataclass(frozen=True, kw_only=True)
class InvitationInfo(Model):
    """Invitation to sign up for an API key, without its secret."""

    collections: tuple[str, ...] | None
    """Collections of its keys; null for all."""

    common_tokens_per_day: int | None
    """Tokens of a language model for all its keys together per day; null for no such limit."""

    cost_per_minute: int | None
    """Limit of each of its keys; null for that of the server."""

    created_at: datetime
    """Time of the creation."""

    creators: tuple[str, ...]
    """Ids of the keys that it was made with, from the first one."""

    expires_at: datetime
    """End of the validity."""

    id: str
    """Part of the invitation that is no secret."""

    key_term_s: int | None
    """Validity of its keys in seconds; null for no end of their own."""

    max_uses: int
    """Number of keys that it is good for."""

    n_uses: int
    """Number of keys that were signed up with it."""

    name: str
    """Recipient of the invitation."""

    requests_per_minute: int | None
    """Limit of each of its keys; null for that of the server."""

    revoked_at: datetime | None
    """Time of the revocation, if any."""

    scopes: tuple[KeyScope, ...]
    """Scopes of its keys."""

    state: Literal["valid", "expired", "revoked", "used_up"] | str
    """State of the invitation."""


@dataclass(frozen=True, kw_only=True)
class Job(Model):
    """Ingestion or enrichment job with its progress."""

    collection: str
    """Collection of the papers."""

    created_at: datetime
    """Time of the request."""

    detail: str | None
    """Reason of the pause."""

    finished_at: datetime | None
    """Time of the end or the cancellation."""

    id: str
    """Id of the job."""

    kind: JobKind
    """Kind of work."""

    n_documents: int
    """Number of documents found."""

    n_embedded: int
    """Number of chunks embedded so far."""

    n_pending: int
    """Number of open documents."""

    n_unchanged: int
    """Number of unchanged documents; they have no task."""

    n_warned: int
    """Number of documents with a warning, such as a field that was left out."""

    progress: float
    """Fraction of finished documents, 0 to 1."""

    sources: tuple[str, ...]
    """Sources of the job; only names of local files."""

    stages: dict[str, int]
    """Number of running documents per stage."""

    state: JobState
    """State of the job."""

    states: dict[str, int]
    """Number of documents per state."""

    waits_for: WaitsFor | None
    """Cause of the wait, if the job waits."""


@dataclass(frozen=True, kw_only=True)
class LoggedChange(Model):
    """A change that a sync or a push made."""

    action: str
    """create, change, delete or undo."""

    at: str
    """Time as ISO 8601."""

    direction: str
    """to-zotero, or from-zotero."""

    is_undone: bool
    """True if the change was taken back."""

    key: str
    """Key of the object in Zotero."""

    kind: str
    """item, tag, tags, note, highlight, collection or fields."""

    number: int
    """Number in the log, from 1."""

    title: str
    """Title of the paper, or name of the collection."""

    words: str
    """What was written, up to 300 characters."""


@dataclass(frozen=True, kw_only=True)
class MapTopic(Model):
    """Topic of a map."""

    above: int | None
    """Number of the topic above it in the list, from 0."""

    level: int
    """Level in the hierarchy, 0 for the finest."""

    n: int
    """Number of its points, those of topics below it included."""

    name: str
    """Words that set it apart."""

    node_id: str
    """Id of the cluster."""

    x: float
    """Centre of its points from left to right: their median."""

    y: float
    """Centre of its points from bottom to top."""


@dataclass(frozen=True, kw_only=True)
class Member(Model):
    """Account that reaches a collection by name or by a role."""

    key: str
    """Id of its first key."""

    name: str
    """Name of that key."""

    role: Role | None
    """Its role; null if the scopes of its keys decide."""

    scopes: tuple[KeyScope, ...]
    """Scopes of that key."""


@dataclass(frozen=True, kw_only=True)
class ModelUsage(Model):
    """Language model usage of some calls, such as all for a question; usages add up."""

    cached: int
    """Calls answered from the cache, at no cost."""

    cost: float
    """Cost in the currency of the configured prices."""

    estimated_tokens: int
    """Number of estimated tokens, where a server told nothing or the connection broke."""

    input_tokens: int
    """Tokens sent to the model."""

    output_tokens: int
    """Tokens that the model wrote."""

    requests: int
    """Number of calls of the model, with those that failed."""


@dataclass(frozen=True, kw_only=True)
class MoreNeighbours(Model):
    """Neighbours of a node by one type of relationship that are left out."""

    n: int
    """Number of neighbours."""

    type: LinkType
    """Type of the relationship."""


@dataclass(frozen=True, kw_only=True)
class NamedAnswer(Model):
    """Rows of a named query over the graph, which answered a question instead of passages."""

    columns: tuple[str, ...]
    """Names of the columns."""

    parameters: dict[str, Any]
    """Values of the parameters by name."""

    query: str
    """Name of the query."""

    rows: tuple[tuple[Any, ...], ...]
    """Values of each row, in the order of the columns."""


@dataclass(frozen=True, kw_only=True)
class NearLink(Model):
    """Relationship between two nodes of a neighbourhood."""

    from_id: str
    """Id of the node where it begins."""

    to_id: str
    """Id of the node where it ends."""

    type: LinkType
    """Type of the relationship."""

    weight: float | None
    """Similarity, 0 to 1, if the relationship has one."""


@dataclass(frozen=True, kw_only=True)
class NearNode(Model):
    """Node of a neighbourhood."""

    degree: int
    """Number of relationships of any type."""

    label: str
    """Type of the node, such as Paper."""

    more: tuple[MoreNeighbours, ...]
    """Neighbours that are left out, of a requested node."""

    name: str
    """Title, name, or beginning of a text."""

    node_id: str
    """Id of the node."""


@dataclass(frozen=True, kw_only=True)
class NearPaper(Model):
    """A paper of the collection that is near to an item of the inbox."""

    paper_id: str
    """Id of the paper."""

    score: float
    """Cosine of both vectors, to three digits."""

    title: str
    """Title of the paper."""


@dataclass(frozen=True, kw_only=True)
class Neighbourhood(Model):
    """Nodes, the requested ones first, and relationships between them."""

    links: tuple[NearLink, ...]
    """The relationships."""

    nodes: tuple[NearNode, ...]
    """The nodes."""

    truncated: bool
    """True if neighbours are left out."""


@dataclass(frozen=True, kw_only=True)
class Node(Model):
    """A node of the graph, with what it is."""

    label: Literal["Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster"] | str
    node: Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster


@dataclass(frozen=True, kw_only=True)
class OfferedEnrichment(Model):
    """Enrichment that papers can be given."""

    about: str
    """Description of the enrichment, in one sentence."""

    missing: tuple[str, ...]
    """Obstacles to making it here, each with the next step; empty if it can be made."""

    name: str
    """Name, for jobs and options."""

    needs: tuple[str, ...]
    """Requirements, such as a language model."""

    uses: tuple[str, ...]
    """Optional inputs: a language model, or other enrichments."""


@dataclass(frozen=True, kw_only=True)
class Paper(Model):
    """A research paper in a collection."""

    abstract: str
    """Abstract; empty if the source has none."""

    arxiv_id: str | None
    """arXiv id without version, if known."""

    arxiv_version: int | None
    """Version at arXiv, from 1."""

    authors: tuple[Author, ...]
    """Authors, in the order of the paper."""

    body_coverage: float | None
    """Fraction of the body text, without dropped sections, in chunks, 0 to 1."""

    categories: tuple[str, ...]
    """Categories, such as cs.CL."""

    chunker: str | None
    """Name of the chunker."""

    cite_key: str | None
    """Citation key in a bibliography."""

    cleaning: tuple[str, ...]
    """Cleaning steps: drop-back-matter, mask-urls, trim-stops."""

    collection: str
    """Collection of the paper."""

    comment: str | None
    """The authors' comment at arXiv, such as the number of pages."""

    content_hash: str
    """sha-256 hex of the source's bytes."""

    doi: str | None
    """DOI, if known."""

    editorial_date: str | None
    """Day of the deciding notice, such as 2010-02-06."""

    editorial_notices: tuple[str, ...]
    """Notices, each as: status | day | source | DOI of the notice | reason."""

    editorial_status: str | None
    """retracted, concern, corrected or reinstated, if a notice about the paper is known."""

    format: str | None
    """Format of the source: markdown, text, pdf, jats, tei, latex, docx, odt, epub, pptx, rtf, html or record."""

    heading_source: str | None
    """Source of the headings: markup, outline, fonts, keywords, a service or none."""

    id: str
    """sha-256 hex of collection and key."""

    ingested_at: datetime
    """Time of the last write."""

    is_partial: bool
    """True if more pages or letters were lost than the setting partial_share allows."""

    journal_ref: str | None
    """Journal reference."""

    key: str
    """doi:…, arxiv:… without version, upload:…, or file:… or another URL."""

    keys: tuple[str, ...]
    """All keys of this content."""

    keywords: tuple[str, ...]
    """Keywords of its bibliography or PDF."""

    language: str | None
    """Language of the text as ISO 639-1 code, if certain."""

    license: str | None
    """Licence as the source states it, if it does."""

    n_chunks: int
    """Number of chunks."""

    n_pages: int | None
    """Number of pages, if the source has pages."""

    n_pages_without_text: int | None
    """Number of pages without text."""

    n_sections: int
    """Number of sections."""

    notes: tuple[str, ...]
    """Losses and repairs while reading the source."""

    primary_category: str | None
    """First category at arXiv."""

    published: datetime | None
    """Publication time of the first version."""

    sources: tuple[str, ...]
    """Sources of the content, one per key."""

    title: str
    """Title."""

    updated: datetime | None
    """Publication time of this version."""

    url: str | None
    """Landing page."""

    year: int | None
    """Year of publication, if known."""


@dataclass(frozen=True, kw_only=True)
class PaperExport(Model):
    """Exported papers: a bibliography, or a Markdown file per paper."""

    files: tuple[ExportedFile, ...]
    """The files."""

    format: str
    """The format: md, bibtex, csl-json or ris."""

    n_papers: int
    """Number of papers."""


@dataclass(frozen=True, kw_only=True)
class PaperField(Model):
    """A field of a paper, with the source that states it."""

    name: str
    """Name of the field."""

    provider: Provider
    """Origin of the value: person, publisher, arxiv or document."""

    source: str
    """Address or file name of the source; empty for an edit."""

    values: tuple[str, ...]
    """Its values; one unless it is a list, and none if it was emptied."""


@dataclass(frozen=True, kw_only=True)
class PaperMap(Model):
    """Places of papers in two dimensions, as columns of equal length, in the order of ids."""

    ids: tuple[str, ...]
    """Ids of the papers."""

    method: MapMethod | None
    """Method that gave the places; null without points."""

    n_papers: int
    """Papers of the collection."""

    n_unplaced: int
    """Papers without a place until the enrichment `map` runs again."""

    titles: tuple[str, ...]
    """Titles, at most 200 characters each."""

    topic_numbers: tuple[int | None, ...]
    """Number of the finest topic of each paper in the list of topics, from 0."""

    topics: tuple[MapTopic, ...]
    """Topics with points, the coarsest and largest first."""

    truncated: bool
    """True if the collection has more papers than were asked for."""

    x: tuple[float, ...]
    """Coordinates from left to right, -1 to 1."""

    y: tuple[float, ...]
    """Coordinates from bottom to top, -1 to 1."""

    years: tuple[int | None, ...]
    """Years of publication, where known."""


@dataclass(frozen=True, kw_only=True)
class PaperOfPair(Model):
    """One of two papers that may be one."""

    paper_id: str
    """Id of the paper."""

    title: str
    """Title."""

    year: int | None
    """Year of publication."""


@dataclass(frozen=True, kw_only=True)
class PaperVersion(Model):
    """An earlier text of a paper."""

    arxiv_version: int | None
    """Version at arXiv, from 1, if known."""

    changes: tuple[SectionChange, ...]
    """Sections that differ in the present text."""

    content_hash: str
    """sha-256 hex of its document's bytes."""

    format: str | None
    """Format of its document."""

    n_sections: int
    """Number of sections."""

    number: int
    """Number, from 1 for the oldest that is kept."""

    replaced_at: datetime
    """Time when another text took its place."""

    share: float
    """Share of words in sentences of only this or the present text, 0 to 1."""

    title: str
    """Title that it had."""


@dataclass(frozen=True, kw_only=True)
class PaperWithStatus(Model):
    """A paper with notices about it."""

    date: str
    """Day of the deciding notice; empty if unknown."""

    doi: str
    """DOI of the paper."""

    is_new: bool
    """True if the status is another one than before."""

    notices: tuple[str, ...]
    """Notices, each as: status | day | source | DOI of the notice | reason."""

    paper_id: str
    """Id of the paper."""

    status: str
    """retracted, concern, corrected or reinstated."""

    title: str
    """Title."""


@dataclass(frozen=True, kw_only=True)
class PassageSection(Model):
    """Section that a passage reaches into."""

    end_char: int
    """Character after the last one of the section in the source text."""

    path: tuple[str, ...]
    """Headings above the text, outermost first."""

    section_id: str
    """Id of the section."""

    start_char: int
    """First character of the section in the source text, from 0."""


@dataclass(frozen=True, kw_only=True)
class PathStep(Model):
    """Step of a path."""

    direction: Direction
    """OUTGOING if the relationship points along the path."""

    type: str
    """Type of the relationship, as the graph names it."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(Model):
    """Named, reproducible list of retrieval steps."""

    about: str
    """Summary in a sentence."""

    missing: tuple[str, ...]
    """Obstacles to running it, each with the next step; empty if it can run."""

    name: str
    """Name, as a search takes it."""

    needs: tuple[str, ...]
    """Requirements: language model, reranker, enrichments."""

    reader: Reader
    """Input of the language model for an answer."""

    source: str
    """Origin of the method."""

    steps: tuple[Any, ...]
    """Steps in order, with all options."""


@dataclass(frozen=True, kw_only=True)
class PrismaCounts(Model):
    """Counts for the part of a PRISMA 2020 diagram about citation searching."""

    beyond_limit: int
    """New works beyond the limit, which were not kept."""

    duplicates: int
    """Duplicate records removed, within a round and between rounds."""

    excluded: int
    """Works that were rejected."""

    identified: int
    """Records identified."""

    in_library: int
    """Works that the collection had."""

    included: int
    """Works that were accepted."""

    screened: int
    """Works with a decision."""

    sources: tuple[RecordsOf, ...]
    """Records by source."""

    unnamed: int
    """Records removed because their work is unknown."""

    waiting: int
    """Works without a decision."""


@dataclass(frozen=True, kw_only=True)
class PrismaFlow(Model):
    """Numbers of records in each box of the PRISMA 2020 diagram, and the diagram if it was asked for."""

    mermaid: str
    """The diagram in Mermaid's language; empty unless asked for."""

    n_assessed: int
    """Reports decided by their full text."""

    n_duplicates: int
    """Duplicates that were removed before screening."""

    n_excluded: int
    """Records excluded by title and abstract."""

    n_included: int
    """Included reports."""

    n_not_retrieved: int
    """Reports that could not be got."""

    n_records: int
    """Records of all databases."""

    n_refused: int
    """Entries of files that could not be read; not among the records."""

    n_screened: int
    """Records decided by title and abstract."""

    n_sought: int
    """Reports sought for retrieval."""

    n_to_screen: int
    """Records without duplicates."""

    n_waiting: int
    """Records and reports without a final decision."""

    reasons: tuple[Counted, ...]
    """Reports excluded by their full text, by reason."""

    sources: tuple[Counted, ...]
    """Records of each database, by name."""

    svg: str
    """The diagram as SVG; empty unless asked for."""


@dataclass(frozen=True, kw_only=True)
class ProblemError(Model):
    """Error in a field of a request."""

    field: str | None
    message: str
    reason: str | None = None
    """Reason of a refused upload, from a closed list."""


@dataclass(frozen=True, kw_only=True)
class ProposedCorrection(Model):
    """A value of a field that a catalogue states and the paper has not."""

    name: str
    """Name of the field."""

    proposed: tuple[str, ...]
    """Values of the catalogue."""

    source: str
    """Identifier that was looked up, such as doi:10.1000/182."""

    values: tuple[str, ...]
    """Values of the paper, none where it has none."""


@dataclass(frozen=True, kw_only=True)
class ProposedPair(Model):
    """Two papers that may be one."""

    common: str
    """What both have: doi or title."""

    papers: tuple[PaperOfPair, ...]
    """The two papers."""

    removed_enrichments: tuple[str, ...]
    """Enrichments that a merge removes with the text it hides; enriching makes them again after a split."""


@dataclass(frozen=True, kw_only=True)
class PushChange(Model):
    """A write to Zotero."""

    action: str
    """create or change."""

    kind: str
    """note, highlight, tags, collection or fields."""

    title: str
    """Title of the paper, or name of the collection."""

    words: str
    """What is written: the question, quote or tags."""


@dataclass(frozen=True, kw_only=True)
class PushReport(Model):
    """Result of a push to Zotero."""

    changes: tuple[PushChange, ...]
    """Writes; in a dry run what they would be."""

    conflicts: tuple[str, ...]
    """Objects that a person changed in Zotero, which stay so: both versions in words."""

    kept_deleted: tuple[str, ...]
    """Objects that a person deleted in Zotero, which stay deleted."""

    offers: tuple[str, ...]
    """Corrections of papers made in papergraph that Zotero lacks; `edits` writes them."""

    unchanged: int
    """Number of objects that Zotero has already."""

    unplaced: tuple[str, ...]
    """Quotes without a place in a PDF of Zotero, or whose paper Zotero does not have."""


@dataclass(frozen=True, kw_only=True)
class Question(Model):
    """A question that a passage or a paper answers."""

    answer: str | None
    """Answer, if generated."""

    collection: str
    """Collection of the answering paper."""

    generator: str
    """Generator: model, written, template or extractive."""

    group_id: str | None
    """Id that questions across the same papers share; null for a question of one paper."""

    id: str
    """sha-256 hex of collection, paper and text."""

    metadata: tuple[str, ...]
    """Metadata that it was made from, each as field: value."""

    model: str | None
    """Name of the language model, if used."""

    original: str | None
    """Original text, if edited."""

    paper_id: str
    """Id of the answering paper."""

    review: str | None
    """Review: accepted, edited or null."""

    text: str
    """The question."""


@dataclass(frozen=True, kw_only=True)
class QuotingAnswer(Model):
    """A stored answer that quotes some papers, such as retracted ones."""

    collection: str
    """Collection that was asked."""

    id: str
    """Id of the answer."""

    paper_ids: tuple[str, ...]
    """Those of the asked papers that it quotes."""

    question: str
    """Question as it was asked."""


@dataclass(frozen=True, kw_only=True)
class RateLimit(Model):
    """Rest of a limit per minute."""

    left: int
    """Amount that is left."""

    limit: int
    """Amount per minute."""

    name: Literal["requests", "cost"] | str
    """requests or cost."""

    resets_in_s: int
    """Seconds until the whole amount is there again."""


@dataclass(frozen=True, kw_only=True)
class RaterDecision(Model):
    """Decision of a rater on a record."""

    decided_at: datetime
    """Time of the decision."""

    name: str
    """Name of the key of the rater, or of the rater."""

    note: str
    """Remark."""

    rater: str
    """Account or name of the rater; empty for the only one of a server without keys."""

    reason: str
    """Reason of an exclusion; may be empty."""

    resolves: bool
    """True if it settles a conflict."""

    stage: ScreeningStage
    """abstract or text."""

    verdict: ScreeningVerdict
    """include, exclude, maybe, or open: withdrawn."""


@dataclass(frozen=True, kw_only=True)
class Read(Model):
    """What was read of a paper for a cell."""

    best_score: float
    """Score of the best sentence, at least 0."""

    coverage: float
    """Share of the words' weight in or around it, in [0, 1]."""

    missing: tuple[str, ...]
    """Those that the paper lacks."""

    n_passages: int
    """Number of passages that were read."""

    words: tuple[str, ...]
    """Words that were looked for."""


@dataclass(frozen=True, kw_only=True)
class Recall(Model):
    """Recall that screening has reached, by a test on the last records (Callaghan and Müller-Hansen 2020)."""

    low: float
    """Lower end of the 95 % interval of recall, to two digits; 0 while nothing is known. It ends at 1."""

    most_left: int | None
    """Most relevant records that may be left; null while nothing is known."""

    n_decided: int
    """Number of decided records."""

    n_included: int
    """Number of included records."""

    n_left: int
    """Number of undecided records."""

    p: float
    """p-value of the hypothesis that less than 95 % were found."""


@dataclass(frozen=True, kw_only=True)
class RecordsOf(Model):
    """Records that one source gave."""

    n_records: int
    """Citations that it stated."""

    source: str
    """library, openalex or crossref."""


@dataclass(frozen=True, kw_only=True)
class Reference(Model):
    """An entry of a paper's list of references."""

    arxiv_id: str | None
    """arXiv id of the cited work, if recognized."""

    authors: tuple[str, ...]
    """Authors of the cited work, as printed."""

    collection: str
    """Collection of the citing paper."""

    doi: str | None
    """DOI of the cited work, if recognized."""

    id: str
    """sha-256 hex of paper and place."""

    label: str
    """Label in the text of the paper."""

    ordinal: int
    """Position in the list, from 0."""

    paper_id: str
    """Id of the citing paper."""

    text: str
    """Printed text of the entry."""

    title: str | None
    """Title of the cited work, if recognized."""

    year: int | None
    """Year of the cited work, if recognized."""


@dataclass(frozen=True, kw_only=True)
class ReferencesReport(Model):
    """Result of the check of a bibliography."""

    failures: tuple[str, ...]
    """Sources that failed, and entries that cannot be read."""

    references: tuple[CheckedReference, ...]
    """The entries, in the order of the file."""


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

    shared: tuple[Via, ...]
    """Up to five shared nodes, rarest first."""


@dataclass(frozen=True, kw_only=True)
class Relation(Model):
    """Relation between entities, stated by a paper."""

    chunk_ids: tuple[str, ...]
    """Chunks with the statement."""

    direction: Direction
    """Outgoing if the relation points to the other entity."""

    entity: Entity
    """Related entity."""

    extractor: str
    """Extractor of the relation."""

    paper_id: str
    """Paper with the statement."""

    type: str
    """Relation type of the schema."""


@dataclass(frozen=True, kw_only=True)
class RelationPath(Model):
    """Relation of two entities that a passage states."""

    chunk_id: str
    """Chunk with the statement."""

    object: str
    """Name of the second entity."""

    object_id: str
    """Id of the second entity."""

    quote: str | None
    """Sentences of the passage from one name to the other, if found."""

    subject: str
    """Name of the first entity."""

    subject_id: str
    """Id of the first entity."""

    type: str
    """Relation type of the schema."""


@dataclass(frozen=True, kw_only=True)
class RereadPapers(Model):
    """Job that reads the kept files of papers again."""

    job: str
    """Id of the job."""

    n_papers: int
    """Number of papers that it reads."""

    skipped: tuple[str, ...]
    """Papers without a kept file, or whose file needs the record beside it."""


@dataclass(frozen=True, kw_only=True)
class RetractionReport(Model):
    """Result of a check for retractions."""

    answers: tuple[QuotingAnswer, ...]
    """Stored answers that quote these papers."""

    cleared: tuple[str, ...]
    """Papers whose status was removed: no source states it any more."""

    collection: str
    """Collection of the papers."""

    failures: tuple[str, ...]
    """Sources that failed; what they stated before is kept."""

    n_checked: int
    """Number of DOIs that were checked."""

    next_after: str | None
    """Value of after for the next call; null at the end."""

    papers: tuple[PaperWithStatus, ...]
    """Papers with a status, by DOI."""


@dataclass(frozen=True, kw_only=True)
class RetrieverScore(Model):
    """Score of one retriever for a hit."""

    query: int
    """Index of the query; 0 is the original."""

    rank: int
    """Rank in the list of this retriever, from 1."""

    retriever: RetrieverName
    """The retriever."""

    score: float
    """The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 of FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability."""

    via: tuple[Via, ...]
    """Path from the query to the hit."""


@dataclass(frozen=True, kw_only=True)
class ReviewedQuestion(Model):
    """Effect of a decision."""

    decision: Decision
    """The decision."""

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
    """The other entity."""

    evidence: str
    """Evidence: name, abbreviation, vector or review."""

    score: float
    """Confidence, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class ScreeningImport(Model):
    """What an import added."""

    file: ImportedFile
    """The file."""

    is_repeated: bool
    """True if the file was imported before: nothing was added."""

    n_duplicates: int
    """Number of records that repeat another one."""

    n_new: int
    """Number of new records to screen."""


@dataclass(frozen=True, kw_only=True)
class ScreeningPapers(Model):
    """Included records that become papers."""

    job_id: str | None
    """Job that writes the papers; null if none does."""

    n_records: int
    """Number of included records."""


@dataclass(frozen=True, kw_only=True)
class ScreeningStatus(Model):
    """Progress of a screening."""

    prisma: PrismaFlow
    """Numbers and diagram of PRISMA 2020."""

    screening: ScreeningSummary
    """The screening."""

    stages: tuple[StageCounts, ...]
    """Counts of both stages."""


@dataclass(frozen=True, kw_only=True)
class ScreeningSummary(Model):
    """Screening without its records."""

    collection: str
    """Its collection."""

    created_at: datetime
    """Time when it was created."""

    id: str
    """Id of the screening."""

    imports: tuple[ImportedFile, ...]
    """Imported files, in order."""

    n_duplicates: int
    """Number of those that repeat another one."""

    n_records: int
    """Number of records of all files."""

    name: str
    """Name."""

    raters: int
    """People who decide each record."""

    reasons: tuple[str, ...]
    """Reasons of exclusion."""


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
    """Differences from the pipeline, such as other chunks."""


@dataclass(frozen=True, kw_only=True)
class Section(Model):
    """A heading with the text up to the next one."""

    collection: str
    """Collection of the paper."""

    end_page: int | None
    """Last page of its own text, if there are pages."""

    id: str
    """sha-256 hex of paper and place."""

    kind: str
    """front, abstract, body, references, acknowledgements or appendix."""

    level: int
    """Depth in the section tree, from 1."""

    ordinal: int
    """Position within the paper, from 0."""

    paper_id: str
    """Id of the paper."""

    parent_id: str | None
    """The section above it, if any."""

    path: tuple[str, ...]
    """Headings above it and its own, outermost first."""

    start_page: int | None
    """First page of its own text, from 1, if there are pages."""

    title: str
    """Heading; empty for text before the first one."""


@dataclass(frozen=True, kw_only=True)
class SectionChange(Model):
    """A section that differs between two texts of a paper."""

    change: Change
    """added, removed, renamed (equal text) or changed."""

    section: str
    """Headings from the outermost on; of a renamed one the old, then the new ones."""

    share: float
    """Share of words in sentences of one text only, 0 to 1; 1 if added or removed."""


@dataclass(frozen=True, kw_only=True)
class SelectionDetail(Model):
    """Details of a selected passage."""

    marginal: float
    """Loss of the objective without this passage; negative if one passage fewer would be better."""

    nearest: str | None
    """Most similar selected chunk; null for a single one."""

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
    """Weight of relevance against redundancy, 0 to 1."""

    backend: str
    """Backend that found the selection; exact after a fallback."""

    certified_by: str
    """Back end with the better bound."""

    certified_gain: float
    """Certified fraction of the possible gain over the top k, 0 to 1."""

    device: DeviceReport | None
    """Device report, if a device answered."""

    fallback: str | None
    """Reason of the fallback to the own solver, if any."""

    form: Form
    """Form of the objective."""

    gap: float
    """Objective minus lower bound, at least 0; 0 for the best selection."""

    k: int
    """Number of selected passages; fewer than k if no more fit."""

    lower_bound: float
    """Lower bound of the objective of any selection."""

    mean_pair_similarity: float
    """Mean similarity of two selected passages; 0 for k = 1."""

    mean_relevance: float
    """Mean relevance of the selected passages."""

    ms: float
    """Duration of the selection in milliseconds."""

    objective: float
    """Objective of the selection; lower is better."""

    proven: bool
    """True if no selection is better."""

    stage: Stage
    """Stage of the solver at the proof or at the deadline."""


@dataclass(frozen=True, kw_only=True)
class ServerInfo(Model):
    """Description of the server."""

    citation_styles: tuple[str, ...]
    """Common styles of exported references; empty without the extra citations."""

    embedding_model: str
    """Embedding model of searches."""

    has_cypher: bool
    """True if the server accepts Cypher queries."""

    language_model: str | None
    """Model that writes answers; null if there is none."""

    reranker: str | None
    """Cross-encoder for reranking; null if there is none."""

    sign_up: Literal["off", "invite"] | str
    """Sign-up for an API key: off, or by invitation."""

    uploads: UploadRules | None
    """Files that can be uploaded; null if none can."""

    version: str
    """Version of papergraph."""


@dataclass(frozen=True, kw_only=True)
class Session(Model):
    """Session of a browser; its secret is in the cookie only."""

    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class SignUpOffer(Model):
    """Possibilities without a key."""

    sign_up: Literal["off", "invite"] | str
    """Sign-up: closed, or by invitation."""


@dataclass(frozen=True, kw_only=True)
class SimilarChunk(Model):
    """Similar chunk of another paper."""

    chunk: Chunk
    """The other chunk."""

    score: float
    """Cosine similarity."""


@dataclass(frozen=True, kw_only=True)
class SnowballReport(Model):
    """Result of the last snowballing of a collection with some options, with the decisions so far."""

    collection: str
    """The collection."""

    counts: PrismaCounts
    """Counts of all rounds."""

    finished_at: str | None
    """End of the run, as ISO 8601; null before the first."""

    id: str
    """Id of the watch that ran it; the source of its items in the inbox."""

    options: str
    """Directions, rounds, limit, and offline if only the library was used."""

    remarks: tuple[str, ...]
    """Sources that failed or were cut at a limit."""

    rounds: tuple[SnowballRound, ...]
    """The rounds."""


@dataclass(frozen=True, kw_only=True)
class SnowballRound(Model):
    """A round of snowballing."""

    n_accepted: int
    """Works of this round in the inbox that are accepted now."""

    n_kept: int
    """New works that were put into the inbox, those with most links."""

    n_known: int
    """Works that the inbox had before."""

    n_links: int
    """Citations that were found: the records identified."""

    n_new: int
    """New works."""

    n_papers: int
    """Works that the collection has."""

    n_refused: int
    """Works of this round in the inbox that are rejected now."""

    n_seeds: int
    """Works whose citations were followed."""

    n_seen: int
    """Works of earlier rounds."""

    n_unnamed: int
    """Citations without DOI, arXiv id and long title, whose work is unknown."""

    n_waiting: int
    """Works of this round in the inbox without a decision."""

    n_works: int
    """Works that they name, each once."""

    number: int
    """Number of the round, from 1."""

    share_new: float
    """Yield: new works per work, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Source(Model):
    """Passage as the reader receives it."""

    hit: Hit
    """The passage as the search found it."""

    instructions: int
    """Number of removed sentences that give instructions."""

    number: int
    """Number of the source, [n] in the answer."""

    text: str
    """Text without invisible characters and instructions."""


@dataclass(frozen=True, kw_only=True)
class StageCounts(Model):
    """Counts of a stage of screening."""

    agreement: Agreement | None
    """Agreement of two raters; null without any."""

    curve: tuple[CurvePoint, ...]
    """Included records by decided ones."""

    n_conflicts: int
    """Number of conflicts."""

    n_excluded: int
    """Number of excluded ones."""

    n_included: int
    """Number of included ones."""

    n_mine: int
    """Number of open ones that wait for the caller."""

    n_open: int
    """Number of undecided ones."""

    n_records: int
    """Number of records to decide."""

    recall: Recall
    """Recall that was reached."""

    stage: ScreeningStage
    """abstract or text."""


@dataclass(frozen=True, kw_only=True)
class StepPlace(Model):
    """Rank of a hit after a step."""

    rank: int
    """Rank after the step, from 1."""

    step: int
    """Number of the step, from 1."""


@dataclass(frozen=True, kw_only=True)
class StoredAnswer(Model):
    """Answer or refusal as it was given and stored."""

    answerability: float | None
    """Answerability, 0 to 1."""

    asked: str
    """Question as it was asked."""

    asked_at: datetime
    """Time of the answer."""

    citations: tuple[AnswerCitation, ...]
    """Citations of the text, in its order."""

    collection: str
    """Collection that was asked."""

    dropped: tuple[DroppedText, ...]
    """Generated text that failed verification."""

    grounded: bool
    """True if all generated text passed verification."""

    id: str
    """Id of the answer."""

    llm_generated: bool
    """True if a language model wrote the answer."""

    message: str | None
    """Reason of a refusal in words."""

    model: str | None
    """Name of the language model, if one wrote it."""

    named_query: NamedAnswer | None
    """Query over the graph, if it answered instead of passages."""

    question: str
    """Question as it was searched for, completed from the history."""

    ratings: tuple[AnswerRating, ...]
    """Ratings, the newest first, one per reader."""

    reason: Reason | None
    """Reason of a refusal."""

    sources: tuple[StoredSource, ...]
    """Passages of the answer; of a refusal, the nearest."""

    text: str | None
    """Sentences, each with its citations [n]; null for a refusal."""

    warnings: tuple[str, ...]
    """Warnings about degraded steps."""


@dataclass(frozen=True, kw_only=True)
class StoredFinding(Model):
    """Finding as it is stored."""

    author: str | None
    """Name of the key of the person, if any."""

    by_person: bool
    """True if a person set it."""

    column_hash: str
    """sha-256 hex of the column that was answered."""

    content_hash: str
    """sha-256 hex of the text that was read."""

    high: float | None
    """Upper end of its interval."""

    id: str
    """Id of the finding."""

    low: float | None
    """Lower end of its interval."""

    made_at: datetime
    """Time when it was made."""

    maker: str
    """Rules with version, model with prompt, or person."""

    note: str
    """Remark, such as the reason why a cell is unchecked."""

    number: float | None
    """Value of a number."""

    quotes: tuple[CellQuote, ...]
    """1 to 3 quotes of a value."""

    read: Read | None
    """What was read; null for a person's value."""

    state: CellState
    """State of the cell."""

    unit: str
    """Unit of a number, as the paper writes it."""

    value: str
    """Value as text; empty unless there is one."""


@dataclass(frozen=True, kw_only=True)
class StoredSource(Model):
    """Passage that a stored answer was written from; of a refusal, a nearest one."""

    chunk_id: str
    """Id of the passage."""

    number: int
    """Number of the source, [n] in the answer."""

    page: int | None
    """First page of the passage, if known."""

    paper_id: str
    """Id of the paper."""

    paper_title: str
    """Title of the paper."""

    section_path: tuple[str, ...]
    """Headings above the passage, outermost first."""


@dataclass(frozen=True, kw_only=True)
class Suggestion(Model):
    """Node whose name has the typed words; offsets count characters (code points) from 0."""

    end: int
    """Character after the last one of the typed words."""

    label: Literal["Paper", "Author", "Entity", "Cluster"] | str
    """Type of the node."""

    node_id: str
    """Id of the node."""

    start: int
    """First character of the typed words in the text."""

    text: str
    """Title or name."""


@dataclass(frozen=True, kw_only=True)
class Summary(Model):
    """Meta Knowledge Summary: what the papers of a cluster, or those with some metadata, are about as a group."""

    about: str
    """The cluster or the metadata in words."""

    cluster_ids: tuple[str, ...]
    """Ids of the clusters of the papers."""

    collection: str
    """Collection of the papers."""

    generator: SummaryGenerator
    """Generator of the text."""

    id: str
    """sha-256 hex of the cluster or the metadata, the same for every text."""

    keywords: tuple[str, ...]
    """Distinctive terms of the papers, strongest first."""

    model: str | None
    """Name of the language model, if one wrote it."""

    n_papers: int
    """Number of papers."""

    n_questions: int
    """Number of their questions that were read."""

    text: str
    """The summary; without a language model, central sentences of the abstracts."""

    was_stored: bool
    """True if the summary was stored before this request."""


@dataclass(frozen=True, kw_only=True)
class TableCell(Model):
    """Cell of a table: the finding that counts, and beside a person's that of the machine."""

    column: str
    """Name of the column."""

    finding: StoredFinding | None
    """Finding that counts; null before the first run."""

    is_locked: bool
    """True if a person set the value."""

    is_stale: bool
    """True if the text, the column or the rules changed since."""

    machine: StoredFinding | None
    """Finding of the machine beside a person's."""


@dataclass(frozen=True, kw_only=True)
class TableColumn(Model):
    """Column of a table with counts of its cells."""

    answered_by: AnsweredBy
    """What fills the column."""

    choices: tuple[str, ...]
    """Choices with synonyms."""

    comparator: str
    """Of a direction: what it is compared with."""

    id: str
    """Id of the column."""

    intervention: str
    """Of a direction: the group compared."""

    name: str
    """Name."""

    question: str
    """Question to each paper."""

    type: str
    """Type."""

    unit: str
    """Unit of a number."""

    words: tuple[str, ...]
    """Phrases to look for."""


@dataclass(frozen=True, kw_only=True)
class TableRow(Model):
    """Paper of a table with its cells."""

    cells: tuple[TableCell, ...]
    """Cells in the order of the columns."""

    doi: str | None
    """DOI, if any."""

    editorial_status: str | None
    """retracted, concern, corrected or reinstated; null for none. It flags the row."""

    key: str
    """Key of the paper."""

    paper_id: str
    """Id of the paper."""

    title: str
    """Title."""

    year: int | None
    """Year, if known."""


@dataclass(frozen=True, kw_only=True)
class TableRun(Model):
    """Job that fills a table."""

    job_id: str | None
    """Id of the job; null if no cell is missing or outdated."""

    n_due: int
    """Number of papers with such cells."""


@dataclass(frozen=True, kw_only=True)
class TableSummary(Model):
    """Evidence table without its rows."""

    changed_at: datetime
    """Time of the last change of its columns."""

    collection: str
    """Collection of its papers."""

    columns: tuple[TableColumn, ...]
    """Columns in order."""

    created_at: datetime
    """Time when it was created."""

    filter: str
    """Filter of its papers as JSON; empty for none."""

    id: str
    """Id of the table."""

    is_selection: bool
    """True if its papers were chosen one by one."""

    name: str
    """Name."""


@dataclass(frozen=True, kw_only=True)
class Tag(Model):
    """Tag of papers."""

    n_papers: int
    """Number of papers."""

    name: str
    """Name of the tag."""


@dataclass(frozen=True, kw_only=True)
class Task(Model):
    """Document of a job, or a paper to enrich."""

    attempts: int
    """Number of attempts."""

    detail: str | None
    """Reason as text; of a running task, the scanned page that is read."""

    id: str
    """Id of the task."""

    key: str | None
    """Key of the resulting paper."""

    language: str | None
    """Language of the paper as ISO 639-1 code, if certain."""

    n_chunks: int
    """Number of chunks of the paper, as soon as it is cut."""

    n_embedded: int
    """Number of embedded chunks, while the document is embedded."""

    n_sections: int
    """Number of sections of the paper."""

    next_try_at: datetime | None
    """Time of the next attempt."""

    outcome: str | None
    """Effect: added, replaced, joined, unchanged or superseded."""

    reason: str | None
    """Reason of the failure, from a closed list."""

    seconds_left: float | None
    """Seconds until its chunks are embedded, while that is known."""

    source: str
    """Source of the document; only the name of a local file."""

    stage: str | None
    """Last stage: fetch, parse, chunk, embed, write, or an enrichment."""

    state: TaskState
    """State of the document."""

    title: str | None
    """Title of the resulting paper."""

    warning: str | None
    """Losses while reading the document, and reasons why searches may miss it."""


@dataclass(frozen=True, kw_only=True)
class TraceStep(Model):
    """Trace of a step."""

    candidates_in: int
    """Number of candidates before the step; before fusion, chunks in all rankings."""

    candidates_out: int
    """Number of candidates after the step."""

    cypher: tuple[CypherCall, ...]
    """Cypher queries of the step."""

    ms: float
    """Duration in milliseconds."""

    notes: tuple[str, ...]
    """Remarks of the step, such as a fallback."""

    options: dict[str, Any]
    """Options of the step by name."""

    step: str
    """Name of the step."""


@dataclass(frozen=True, kw_only=True)
class UndoneDecisions(Model):
    """Decisions about an author that were taken back."""

    author_id: str
    """Id that the author had."""

    n_undone: int
    """Number of decisions."""


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
class Via(Model):
    """Node on the path from the query to a passage, or that two papers share."""

    answer: str
    """Answer made with a question, which is no evidence; empty if there is none."""

    label: str
    """Question, Entity, Cluster, Paper or Chunk."""

    name: str
    """Text of a question, name of an entity, title of a paper."""

    node_id: str
    """Id of the node."""


@dataclass(frozen=True, kw_only=True)
class Viewer(Model):
    """Caller: the API key of the request, or this machine."""

    collections: tuple[str, ...] | None
    """Collections of the key; null for all."""

    expires_at: datetime | None
    """End of the key's validity; null for none."""

    id: str
    """Id of the account's first key; empty if the server requires none."""

    is_local: bool
    """True if the server requires no key."""

    limits: tuple[RateLimit, ...]
    """Remaining amount of each limit; empty without limits."""

    name: str
    """Name of the key; empty if the server requires none."""

    roles: tuple[CollectionRole, ...]
    """Roles of the account, by collection."""

    scopes: tuple[KeyScope, ...]
    """Scopes of the key."""


@dataclass(frozen=True, kw_only=True)
class Watch(Model):
    """A watch: a folder or source that is looked at again and again."""

    collection: str
    """Its collection."""

    every_s: int
    """Seconds from one run to the next."""

    has_feed: bool
    """Whether its feed has an address."""

    id: str
    """Id of the watch."""

    is_due: bool
    """Whether it should run now."""

    is_held: bool
    """Whether a process runs it."""

    is_paused: bool
    """Whether it runs only when it is named."""

    kind: str
    """Its kind, such as query, author, cites, snowball or folder."""

    log: tuple[str, ...]
    """Its last runs, the newest first, each as: time | outcome | words."""

    n_failures: int
    """Failed runs in a row."""

    next_at: str
    """Time when it is due, as ISO 8601."""

    subject: str
    """Words, ORCID, DOI, path or options that it follows."""


@dataclass(frozen=True, kw_only=True)
class ZoteroLibrary(Model):
    """A library that Zotero offers."""

    n_items: int | None
    """Number of items; null for groups."""

    name: str
    """users/ID or groups/ID."""

    title: str
    """Name of a group; empty for a user's own library."""
