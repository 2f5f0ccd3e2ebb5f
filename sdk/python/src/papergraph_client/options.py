"""Options of requests, as typed dictionaries; written by ``python -m scripts.sdk`` from schema/openapi.json."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypedDict

from papergraph_client.models import Form, Mode, Reader

Dates = TypedDict("Dates", {"from": "date | str | None", "to": "date | str | None"}, total=False)
"""Days from one to another, both included; one of them may be left open."""


class FieldValue(TypedDict, total=False):
    """A cluster of metadata: papers of one value of a field."""

    field: str
    value: str


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
        "kinds": 'Sequence[Literal["front", "abstract", "body", "appendix", "references", "acknowledgements", "table", "equation", "caption"]] | None',
        "not": "Filter | None",
        "papers": "Sequence[str] | None",
        "years": "Years | None",
    },
    total=False,
)
"""Conditions that must all hold."""


class Selection(TypedDict, total=False):
    """Selection of relevant, diverse passages with a certificate."""

    alpha: float
    """Weight of relevance against redundancy, 0 to 1."""

    backend: str
    """exact, cpsat, anneal, mmr, top_k or pbit."""

    deadline_ms: float
    """Time limit of the selection; device, CP-SAT and annealing need more."""

    form: Form
    k: int
    max_per_paper: int | None
    """Maximum passages per paper."""

    pool: int
    """Number of candidates to select from."""

    seed: int
    token_budget: int | None
    """Maximum tokens of all passages together; fewer than k are selected if k do not fit."""


class Turn(TypedDict, total=False):
    """Earlier turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


Years = TypedDict("Years", {"from": "int | None", "to": "int | None"}, total=False)
"""Years from one to another, both included; one of them may be left open."""


class AskOptions(TypedDict, total=False):
    """Question and answer options."""

    backfill: bool
    collection: str
    filter: Filter | None
    history: Sequence[Turn]
    """Earlier turns; they complete the question."""

    instructions: str
    """Language, length and tone of the answer, in words; other instructions are ignored and reported."""

    k: int | None
    """Number of passages to answer from."""

    min_answerability: float
    """Minimum answerability (0 to 1); below it the question is refused."""

    mode: Mode
    overrides: Mapping[str, Any]
    pipeline: str
    """Retrieval pipeline, by name."""

    reader: Reader | None
    """Input of the language model; default: the reader of the pipeline."""

    rewrite: bool
    """Complete the question from the history, with a language model, or by rules without one."""

    selection: Selection | None
    token_budget: int
    """Maximum tokens of all passages together, also for a selection."""


class CypherOptions(TypedDict, total=False):
    """Read-only Cypher query and the format of its rows."""

    deadline_ms: int | None
    """Deadline in milliseconds; default and maximum: that of the server."""

    rows: int
    """Maximum number of rows; `truncated` tells whether there are more."""


class IngestOptions(TypedDict, total=False):
    """Documents to ingest: URLs, `arxiv:ID` and uploads, at least one."""

    collection: str
    sources: Sequence[str]
    uploads: Sequence[str]
    """Ids of one's own uploads."""


class ReviewOptions(TypedDict, total=False):
    """Decision about a question."""

    text: str | None
    """New text, for an edit."""


class SearchOptions(TypedDict, total=False):
    """Search query and options."""

    backfill: bool
    """Fill the list from the whole collection if too few hits pass the filter."""

    collection: str
    filter: Filter | None
    """Filter on papers and passages; see docs/filters.md."""

    include: Sequence[Literal["explanation", "neighbours", "highlights", "trace", "run"]]
    """Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run."""

    k: int | None
    """Number of hits; default: that of the pipeline."""

    overrides: Mapping[str, Any]
    """Other values for options of its steps, such as search.k, or fuse2.by for the second fuse."""

    pipeline: str
    """Retrieval pipeline, by name."""

    selection: Selection | None
    """Selection after the pipeline, or instead of its own."""


class SubjectOptions(TypedDict, total=False):
    """Subject of the papers of a collection."""
