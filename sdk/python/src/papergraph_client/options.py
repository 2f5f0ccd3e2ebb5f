"""Options of requests, as typed dictionaries; written by ``python -m scripts.sdk`` from schema/openapi.json."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypedDict

from papergraph_client.models import (
    AnsweredBy,
    CellAction,
    CellState,
    Colour,
    Form,
    Mode,
    Reader,
    ScreeningStage,
)


class Chunking(TypedDict, total=False):
    """Options of chunking; null values are the chunker's own."""

    across_headings: bool | None
    """Let chunks run on over headings."""

    chunker: str
    """Name of the chunker; see docs/ingestion.md."""

    drop_back_matter: bool
    """Skip references and appendices."""

    embed_parents: bool
    """Embed the parents of a hierarchy too."""

    mask_urls: bool
    """Embed [URL] in place of URLs."""

    max_chars: int | None
    """Maximum characters of a chunk."""

    max_tokens: int | None
    """Maximum tokens of a chunk."""

    overlap: int | None
    """Overlap of consecutive chunks, in the unit of the chunker."""

    trim_stops: bool
    """Remove full stops at the start of chunks."""


class Column(TypedDict, total=False):
    """Column of an evidence table."""

    answered_by: AnsweredBy
    """What fills the column: rules, model or person."""

    choices: Sequence[str]
    """Choices of the type choice, each with its synonyms as: name: word, word."""

    comparator: str
    """Of a direction: what it is compared with."""

    intervention: str
    """Of a direction: the group or condition compared."""

    name: str
    """Name of the column, unique in its table."""

    question: str
    """Question to each paper."""

    type: str
    """Type: text, number, yes-no, choice or direction."""

    unit: str
    """Unit of a number, such as mg, % or patients."""

    words: Sequence[str]
    """Phrases to look for, of which one is enough; default: the words of the question."""


Dates = TypedDict("Dates", {"from": "date | str | None", "to": "date | str | None"}, total=False)
"""Range of days, inclusive; one bound is optional."""


class FieldValue(TypedDict, total=False):
    """Papers with a value of a metadata field."""

    field: str
    """Name of the field, such as task."""

    value: str
    """The value."""


Filter = TypedDict(
    "Filter",
    {
        "all": "Sequence[Filter] | None",
        "any": "Sequence[Filter] | None",
        "authors": "Sequence[str] | None",
        "categories": "Sequence[str] | None",
        "clusters": "Sequence[str | FieldValue] | None",
        "dates": "Dates | None",
        "entities": "Sequence[str] | None",
        "formats": "Sequence[str] | None",
        "keywords": "Sequence[str] | None",
        "kinds": 'Sequence[Literal["front", "abstract", "body", "appendix", "references", "acknowledgements", "table", "equation", "caption"]] | None',
        "languages": "Sequence[str] | None",
        "marked": 'Sequence[Literal["star", "note", "highlight"]] | None',
        "not": "Filter | None",
        "papers": "Sequence[str] | None",
        "states": 'Sequence[Literal["to-read", "reading", "read"]] | None',
        "status": 'Sequence[Literal["retracted", "concern", "corrected", "reinstated"]] | None',
        "tags": "Sequence[str] | None",
        "venues": "Sequence[str] | None",
        "words": "Sequence[str] | None",
        "years": "Years | None",
    },
    total=False,
)
"""Conditions that must all hold; see docs/filters.md."""


class PaperFields(TypedDict, total=False):
    """Values of fields of a paper; null leaves a field as it is."""

    abstract: str | None
    """Abstract."""

    arxiv_id: str | None
    """arXiv id."""

    authors: Sequence[str] | None
    """Names of the authors, in order."""

    categories: Sequence[str] | None
    """Categories, such as cs.CL."""

    comment: str | None
    """Comment, such as the number of pages."""

    doi: str | None
    """DOI."""

    journal_ref: str | None
    """Journal reference."""

    license: str | None
    """Licence."""

    title: str | None
    """Title."""

    url: str | None
    """Landing page."""

    year: int | None
    """Year of publication, 1000 to 2999."""


class Selection(TypedDict, total=False):
    """Selection of relevant, diverse passages with a certificate."""

    alpha: float
    """Weight of relevance against redundancy, 0 to 1."""

    backend: str
    """Method of the selection: exact, cpsat, anneal, mmr, top_k or pbit."""

    deadline_ms: float
    """Time limit of the selection; device, CP-SAT and annealing need more."""

    form: Form
    """Form of the objective."""

    k: int
    """Number of passages to select, 1 to 100."""

    max_per_paper: int | None
    """Maximum passages per paper."""

    pool: int
    """Number of candidates to select from."""

    seed: int
    """Seed of the backends that draw numbers."""

    token_budget: int | None
    """Maximum tokens of all passages together; fewer than k are selected if k do not fit."""


class Turn(TypedDict, total=False):
    """Earlier turn of a conversation."""

    role: Literal["user", "assistant"]
    """Speaker of the message."""

    text: str
    """Text of the message."""


Years = TypedDict("Years", {"from": "int | None", "to": "int | None"}, total=False)
"""Range of years, inclusive; one bound is optional."""


class AnnotationChangeOptions(TypedDict, total=False):
    """Change of an annotation; null leaves a value as it is."""

    colour: Colour | None
    """New colour of a highlight."""

    seen: date | str | None
    """changedAt as the caller read it; a later change is a conflict then."""

    shared: bool | None
    """True to share it, false to make it private."""

    text: str | None
    """New text."""


class AskOptions(TypedDict, total=False):
    """Question and answer options."""

    backfill: bool
    """Fill the list from outside the filter if too few hits pass."""

    collection: str | None
    """Collection to read; default: main, or the first that the key reaches."""

    collections: Sequence[str] | None
    """Collections to search together, at most 8, instead of one."""

    filter: Filter | None
    """Filter on papers and passages; see docs/filters.md."""

    history: Sequence[Turn]
    """Earlier turns; they complete the question."""

    instructions: str
    """Language, length and tone of the answer, in words; other instructions are ignored and reported."""

    k: int | None
    """Number of passages to answer from, 1 to 100."""

    min_answerability: float
    """Minimum answerability (0 to 1); below it the question is refused."""

    mode: Mode
    """Writer of the answer; auto: a language model if there is one, generative: always one, extractive: sentences of the papers."""

    overrides: Mapping[str, Any]
    """Other values for options of pipeline steps, such as search.k, or fuse2.by for the second fuse."""

    pipeline: str
    """Retrieval pipeline, by name."""

    pipelines: Sequence[str] | None
    """Several pipelines instead of one: each answers, and the best answer is returned."""

    reader: Reader | None
    """Input of the language model; default: the reader of the pipeline."""

    readers: Sequence[Reader] | None
    """Several readers instead of one, for each pipeline; at most 4 answers in all."""

    rewrite: bool
    """Complete the question from the history, with a language model, or by rules without one."""

    selection: Selection | None
    """Selection after the pipeline, or instead of its own."""

    store: bool
    """Store the answer, to read it by its id."""

    token_budget: int
    """Maximum tokens of all passages together, also for a selection."""


class BibliographyToCheckOptions(TypedDict, total=False):
    """Bibliography of up to 100 entries."""

    name: str
    """Name of its file, whose ending tells the format: .bib, .ris, .json (CSL), .enw, .nbib or .csv."""


class CellEditOptions(TypedDict, total=False):
    """A person's decision about a cell."""

    action: CellAction
    """accept, reject, set or withdraw."""

    collection: str | None
    """Collection; default: main."""

    note: str
    """Remark."""

    quotes: Sequence[str]
    """1 to 3 quotes of the paper; default: those of the machine."""

    state: CellState | None
    """State to set instead of a value: not_reported."""

    value: str | None
    """Value to set; null with a state."""


class CollectionOptions(TypedDict, total=False):
    """Collection to create."""

    description: str | None
    """Use of the collection; empty for none."""

    title: str | None
    """Title for people; empty for the name."""


class CollectionTextsOptions(TypedDict, total=False):
    """Title and description of a collection; what is left out stays as it is."""

    description: str | None
    """Use of the collection; empty for none."""

    title: str | None
    """Title for people; empty for the name."""


class CypherOptions(TypedDict, total=False):
    """Read-only Cypher query and the format of its rows."""

    deadline_ms: int | None
    """Deadline in milliseconds; default and maximum: that of the server."""

    rows: int
    """Maximum number of rows, 1 to 10,000."""


class DraftRequestOptions(TypedDict, total=False):
    """Draft of a paper, and where its cited papers are."""

    bibliography: str
    """BibTeX, beside the references of the draft."""

    collection: str | None
    """Collection to read; default: main, or the first that the key reaches."""

    data: str
    """Instead of the text: the file in base64, as a docx needs."""

    suggest: bool
    """Report uncited sentences that a paper of the collection supports, with that paper."""

    text: str
    """Text of the draft."""


class EnrichOptions(TypedDict, total=False):
    """Enrichments to make of the papers of a collection."""

    collection: str | None
    """Collection to read; default: main, or the first that the key reaches."""


class InboxOptions(TypedDict, total=False):
    """Items of the inbox, and what is decided of them."""

    with_text: bool
    """Fetch texts of accepted papers, too: from arXiv, or open-access PDFs by DOI."""


class IngestOptions(TypedDict, total=False):
    """Documents to ingest: URLs, identifiers and uploads, at least one."""

    chunking: Chunking
    """Chunker and its sizes."""

    collection: str | None
    """Collection to read; default: main, or the first that the key reaches."""

    parser: str | None
    """Parser of PDF files: builtin, or the service of the server."""

    sources: Sequence[str]
    """URLs, arxiv:ID, DOIs, pmid:ID, isbn:ID, title:TEXT; pdf:doi:ID is the open PDF. With uploads, 1 to 100."""

    uploads: Sequence[str]
    """Ids of your uploads (REST: POST /v1/uploads)."""


class InvitationOptions(TypedDict, total=False):
    """Invitation to create; its keys never go beyond the key of the request, and have no scope admin."""

    collections: Sequence[str] | None
    """Collections of its keys; default: all."""

    common_tokens_per_day: int | None
    """Tokens of a language model for all its keys together per day; default: no such limit."""

    cost_per_minute: int | None
    """Limit of each of its keys; default: that of the server."""

    expires: str
    """Time to live of the invitation, such as 12h, 30d or 8w."""

    key_expires: str | None
    """Time to live of its keys; default: that of the key of the request."""

    requests_per_minute: int | None
    """Limit of each of its keys; default: that of the server."""

    uses: int
    """Number of keys that it is good for."""


class KeyOptions(TypedDict, total=False):
    """API key to create; it never goes beyond the key of the request."""

    collections: Sequence[str] | None
    """Collections, some of those of the key of the request; default: all of them."""

    expires: str | None
    """Time to live, such as 12h, 30d or 8w; default: that of the key of the request."""


class MergingOptions(TypedDict, total=False):
    """Author that remains."""


class NewAnnotationOptions(TypedDict, total=False):
    """Annotation to make; one that the paper has from the caller already is kept, in a new colour."""

    boxes: Sequence[Sequence[float]] | None
    """Rectangles: page, left, upper, right, lower edge as shares of the page."""

    colour: Colour
    prefix: str
    """Words before, which tell equal quotes apart."""

    quote: str
    """Words that a highlight marks."""

    shared: bool
    """True to share it with the collection."""

    start_char: int | None
    """Place in the text near which the words stand."""

    suffix: str
    """Words after."""

    text: str
    """Name of a tag, text of a note, comment of a highlight, or to-read, reading or read."""


class NewScreeningOptions(TypedDict, total=False):
    """Screening to create."""

    collection: str | None
    """Collection; default: main."""

    raters: int
    """People who decide each record: 1 or 2."""

    reasons: Sequence[str]
    """Reasons of exclusion; of two that raters give, the first here counts."""


class NewTableOptions(TypedDict, total=False):
    """Evidence table to create: papers by questions."""

    collection: str | None
    """Collection; default: main."""

    filter: str
    """Filter of papers as JSON, such as {"years": {"from": 2015}}."""

    papers: Sequence[str] | None
    """Ids of papers; default: all of the collection."""


class NewWatchOptions(TypedDict, total=False):
    """Watch to add."""

    collection: str
    """Collection that its finds are for."""

    every: str
    """Interval: 30m, 12h, 1d or 2w."""

    subject: str
    """Words, ORCID, DOI, options such as backward rounds=2, or nothing for the last two."""


class OtherEntityOptions(TypedDict, total=False):
    """Entity to compare with."""


class OtherPaperOptions(TypedDict, total=False):
    """Paper to merge with."""


class PaperEditOptions(TypedDict, total=False):
    """Fields of a paper to set, to empty, and to restore from the sources."""

    clear: Sequence[str]
    """Names of fields to empty, such as `journalRef`."""

    fields: PaperFields
    """Values to set."""

    undo: Sequence[str]
    """Names of fields to restore from the sources."""


class PapersToCheckOptions(TypedDict, total=False):
    """Papers to look up at Crossref and OpenAlex."""

    after: str
    """DOI to begin after: `nextAfter` of the call before."""

    first: int
    """Number of DOIs."""


class PapersToCopyOptions(TypedDict, total=False):
    """Papers, and the collection to copy them to."""

    move: bool
    """True to delete the papers afterwards; annotations of all accounts go with them."""


class PapersToReadOptions(TypedDict, total=False):
    """Papers whose files are read again."""


class PushRequestOptions(TypedDict, total=False):
    """What to write into Zotero."""

    answers: Sequence[str] | None
    """Ids of stored answers; default: all of the caller, none in a group."""

    collect: str
    """Tag whose papers become a collection of its name; empty for none."""

    collection: str | None
    """Collection; default: `main`."""

    dry_run: bool
    """Write nothing, and return what would be written."""

    edits: bool
    """Write corrections of papers that a person made in papergraph, too."""

    library: str | None
    """users/ID or groups/ID; default: the library of the settings."""


class RatingOptions(TypedDict, total=False):
    """Rating of an answer; the last one of a reader counts."""

    comment: str
    """Reason in words."""


class RecordDecisionOptions(TypedDict, total=False):
    """Decision on a record of a screening."""

    collection: str | None
    """Collection of the screening; default: main."""

    note: str
    """Remark."""

    rater: str | None
    """Name of the rater, for callers without a key; with one, the key's account."""

    reason: str
    """Reason of an exclusion, one of the screening's."""

    resolves: bool
    """True to settle a conflict."""

    stage: ScreeningStage
    """abstract, or text for the full text."""


class RecordsToIngestOptions(TypedDict, total=False):
    """Included records to make papers of."""

    collection: str | None
    """Collection of the screening; default: main, or the first that the key reaches."""

    stage: ScreeningStage
    """ScreeningStage at which they were included: abstract or text."""


class RecordsToJoinOptions(TypedDict, total=False):
    """Records that are one work, or are not."""

    collection: str | None
    """Collection of the screening; default: main, or the first that the key reaches."""

    kept: str | None
    """Id of the record that it repeats; null if it repeats none."""


class RejectedCorrectionOptions(TypedDict, total=False):
    """Proposed values of a field that are wrong."""

    undo: bool
    """True to propose them again."""


class RejectedPairOptions(TypedDict, total=False):
    """Paper that is another one."""

    undo: bool
    """True to propose the pair again."""


class ResultsToImportOptions(TypedDict, total=False):
    """Uploaded file of search results."""

    collection: str | None
    """Collection of the screening; default: main, or the first that the key reaches."""


class ReviewOptions(TypedDict, total=False):
    """Decision about a question."""

    text: str | None
    """New text, for an edit."""


class RevocationOptions(TypedDict, total=False):
    """Whether the address of a feed is only revoked."""

    revoke: bool
    """True to make no new address."""


class RoleOptions(TypedDict, total=False):
    """Role of an account in a collection."""


class SearchOptions(TypedDict, total=False):
    """Search query and options."""

    backfill: bool
    """Fill the list from outside the filter if too few hits pass."""

    collection: str | None
    """Collection to read; default: main, or the first that the key reaches."""

    collections: Sequence[str] | None
    """Collections to search together, at most 8, instead of one."""

    filter: Filter | None
    """Filter on papers and passages; see docs/filters.md."""

    include: Sequence[Literal["explanation", "neighbours", "highlights", "trace", "run"]]
    """Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run."""

    k: int | None
    """Number of hits, 1 to 100; default: that of the pipeline."""

    overrides: Mapping[str, Any]
    """Other values for options of pipeline steps, such as search.k, or fuse2.by for the second fuse."""

    pipeline: str
    """Retrieval pipeline, by name."""

    selection: Selection | None
    """Selection after the pipeline, or instead of its own."""


class ShownInvitationOptions(TypedDict, total=False):
    """Invitation that somebody has."""


class SignUpOptions(TypedDict, total=False):
    """A key to sign up for, with an invitation."""


class SourcesToSplitOptions(TypedDict, total=False):
    """Documents and records of another paper."""

    sources: Sequence[str]
    """Names of some sources of the paper; empty to take back its merges."""


class SplittingOptions(TypedDict, total=False):
    """Papers of another person."""


class SubjectOptions(TypedDict, total=False):
    """Subject of the papers of a collection."""


class SummaryOptions(TypedDict, total=False):
    """Papers to summarize: those of a cluster, or those with metadata."""

    cluster: str | None
    """Id of a cluster."""

    collection: str | None
    """Name of the collection; default: main, or the first that the key reaches."""

    metadata: Sequence[FieldValue]
    """Values that the papers have; one of each field is enough."""


class TableToChangeOptions(TypedDict, total=False):
    """Evidence table and its new columns."""

    collection: str | None
    """Collection of the table; default: main, or the first that the key reaches."""


class TableToRunOptions(TypedDict, total=False):
    """Evidence table to fill."""

    collection: str | None
    """Collection of the table; default: main, or the first that the key reaches."""

    columns: Sequence[str]
    """Names of columns; default: all."""

    limit: int | None
    """Most papers of this run."""


class ZoteroTargetOptions(TypedDict, total=False):
    """A library of Zotero and its collection."""

    collection: str | None
    """Collection; default: main."""

    library: str | None
    """users/ID or groups/ID; default: the library of the settings."""


class ZoteroUndoOptions(TypedDict, total=False):
    """A change to take back."""

    collection: str | None
    """Collection; default: main."""

    library: str | None
    """users/ID or groups/ID; default: the library of the settings."""
