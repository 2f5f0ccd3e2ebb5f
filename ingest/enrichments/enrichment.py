"""Enrichments: results computed from stored papers, and recomputed only after a change.

A paper keeps the configuration hash of each of its current enrichments (``Paper.enrichments``), written in the
transaction that writes the enrichment's rows. Results over several papers are computed for a whole collection, in the
order of ids, so they are independent of the order of arrival.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from pydantic import BaseModel

from papergraph.batches import Row
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.ingest.enrichments.prose import is_prose, prose
from papergraph.language_model import Budget, LanguageModel, ModelUsage, Prompt
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.ids import text_hash
from papergraph.vector_slots import VectorSlot

__all__ = [
    "CollectionEnrichment",
    "Enrichment",
    "EnrichmentContext",
    "ExpectedRequest",
    "ModelEnrichment",
    "Noted",
    "PaperEnrichment",
    "StoredChunk",
    "StoredPaper",
    "Telling",
]


@dataclass(frozen=True)
class StoredChunk:
    """A chunk of a stored paper; parents of a hierarchy are not among them."""

    id: str
    ordinal: int
    kind: str
    text: str
    section_id: str
    section: str
    section_kind: str
    headings: tuple[str, ...] = ()
    """Titles of all sections that it reaches into, in order; empty for that of ``section`` alone."""

    @cached_property
    def prose(self) -> str:
        """The text with all that is no prose masked; offsets stay."""
        return prose(self.text, section_kind=self.section_kind, kind=self.kind)

    @cached_property
    def is_prose(self) -> bool:
        """True if most of the text is prose."""
        return is_prose(self.text, self.prose)


def headings_of(chunks: Iterable[StoredChunk]) -> list[str]:
    """Return the distinct headings above chunks, in order."""
    return list(dict.fromkeys(title for chunk in chunks for title in chunk.headings or (chunk.section,)))


@dataclass(frozen=True)
class StoredPaper:
    """A paper as enrichments read it: chunks in the order of the paper, each with the heading that it stands under."""

    id: str
    collection: str
    key: str
    title: str
    abstract: str
    year: int | None
    categories: tuple[str, ...]
    primary_category: str | None
    content_hash: str
    config_hash: str
    enrichments: tuple[str, ...]
    chunks: tuple[StoredChunk, ...]
    metadata: tuple[tuple[str, str], ...] = ()
    """Field and value of each metadata cluster that it is in, in order; ``other`` left out."""


@dataclass
class EnrichmentContext:
    """Resources of enrichments.

    Attributes:
        embedder: The store's embedding model.
        model: The language model, if one is configured.
        budget: Budget for the language model.
    """

    embedder: Embedder
    model: LanguageModel | None = None
    budget: Budget | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    @property
    def usage(self) -> ModelUsage:
        """Usage of the language model since it was opened."""
        return self.model.usage if self.model else ModelUsage()

    async def embed(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return a vector of length 1 for each distinct text; one call embeds at a time."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        async with self._turn:
            vectors = await asyncio.to_thread(self.embedder.encode_documents, distinct)
        return dict(zip(distinct, np.asarray(vectors, dtype=np.float32), strict=True))

    def vector_properties(self, text: str, slot: VectorSlot) -> Row:
        """Return what is written of a text's vector beside the vector itself, by the names of the place in use."""
        sha256 = self.embedder.card.sha256
        return {slot.called("embeddingModel"): sha256, slot.called("embeddingHash"): text_hash(sha256, text)}


@dataclass(frozen=True)
class ExpectedRequest:
    """A request to a language model that making an enrichment is expected to send.

    Attributes:
        prompt: Prompt of the request.
        values: Values of its placeholders.
        answer: Form of the answer.
        answer_chars: Expected length of the answer in characters.
        share: Part of the request that belongs to one paper, below 1 for requests about several.
    """

    prompt: Prompt
    values: Mapping[str, str]
    answer: type[BaseModel]
    answer_chars: int
    share: float = 1.0


class Enrichment(Protocol):
    """An enrichment with its options; ``config_hash`` is a sha-256 hex over all that decides what it makes."""

    @property
    def name(self) -> str: ...

    @property
    def config_hash(self) -> str: ...


@runtime_checkable
class Noted(Protocol):
    """An enrichment that has something to say of how it is made, ``note``; '' for nothing."""

    @property
    def note(self) -> str: ...


@runtime_checkable
class PaperEnrichment(Enrichment, Protocol):
    """An enrichment that is made of each paper by itself."""

    async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> Any:
        """Return what the enrichment says of a paper; the database is not asked.

        Raises:
            LanguageModelError: A model was needed and failed; the paper is tried again or put aside with the reason.
        """

    async def write(
        self, transaction: Transaction, paper: StoredPaper, made: Any, resources: EnrichmentContext, slot: VectorSlot
    ) -> None:
        """Write what was made over whatever the enrichment said of the paper before."""

    def requests(self, paper: StoredPaper) -> int:
        """Return how many requests to a language model the paper takes at most, for the plan."""


@runtime_checkable
class ModelEnrichment(PaperEnrichment, Protocol):
    """An enrichment of papers by a language model, with an estimate of its requests."""

    def expected(self, paper: StoredPaper) -> Iterable[ExpectedRequest]:
        """Return the requests that a paper is expected to take, by a model that gives as much as it is asked for."""


@runtime_checkable
class Telling(PaperEnrichment, Protocol):
    """An enrichment of papers of which later ones read what it made."""

    def told(self, paper: StoredPaper, made: Any) -> StoredPaper:
        """Return the paper with the result written; if it differs, dependent enrichments are recomputed."""


@runtime_checkable
class CollectionEnrichment(Enrichment, Protocol):
    """An enrichment, or the part of one, that spans the papers of a collection."""

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Bring the enrichment to what the collection's papers say now, and return counts to report.

        What stands there already is not written again; a call that was killed is made good by the next one.
        """
