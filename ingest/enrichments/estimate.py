"""Enrichments that are offered, and the estimate of one."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from papergraph.database import Database
from papergraph.errors import InputError, ModelUnavailableError, PapergraphError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, NO_LANGUAGE_MODEL, Section
from papergraph.ingest.enrichments.enrichment import Enrichment, EnrichmentContext, ExpectedRequest, ModelEnrichment
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import find_due, in_order
from papergraph.ingest.enrichments.state import mark, of_papers, read_papers
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress, silent
from papergraph.records import Record, described, internal

# Estimate of enrichments before any money is spent


PAPERS_AT_ONCE = 32
ANY_METADATA = (("field", "value"),)
"""Metadata of a paper that is still to get some."""
INPUT_TOKENS = 5000
"""Input of one request at most: what enrichments put into a prompt is bounded, at 12,000 letters beside its own."""


TOKENIZED = 100
"""Texts of prompts whose tokens are counted; others are measured in characters."""
TOKENS_PER_WORDPIECE = 0.85
"""Tokens of a language model for each of the embedding model: cl100k has .80 to .85 on prompts of the samples."""


@dataclass(frozen=True)
class ExpectedUsage(Record):
    """Expected use of the language model by an enrichment, if the model gives as much as it is asked for."""

    enrichment: Annotated[str, described("Name of the enrichment.")]
    n_requests: Annotated[int, described("Requests, without answers in the cache and repairs.")]
    n_tokens: Annotated[int, described("Tokens of their input and output together.")]
    cost: Annotated[float, described("Cost at the configured prices.")]


@dataclass(frozen=True)
class EnrichmentEstimate(Record):
    """Estimate of enrichments; requests, tokens and cost are upper bounds, ``expected`` has the likely values."""

    collection: Annotated[str, described("Collection of the papers.")]
    enrichments: Annotated[tuple[str, ...], described("Names of the enrichments.")]
    n_papers: Annotated[int, described("Papers of the collection.")]
    n_due: Annotated[int, described("Papers that lack one of the enrichments.")]
    n_read: Annotated[int, described("Number of papers in the sample; the others are extrapolated from it.")]
    n_chunks: Annotated[int, described("Chunks of the papers that lack one.")]
    n_requests: Annotated[
        int, described("Requests to the language model, those for what is kept in the cache included.")
    ]
    n_tokens: Annotated[int, described("Tokens of their input and output together.")]
    cost: Annotated[float, described("Cost at the configured prices.")]
    expected: Annotated[tuple[ExpectedUsage, ...], described("Expected use of the language model, by enrichment.")]
    spanning: Annotated[tuple[str, ...], described("Enrichments over the whole collection that would be made again.")]
    elapsed_s: Annotated[float, internal("Duration of the estimate in seconds.")]


@dataclass
class Expectation:
    """Sum of expected requests by enrichment, in characters of input and output."""

    resources: EnrichmentContext
    sums: dict[str, tuple[float, ...]] = field(default_factory=dict)
    sample: list[str] = field(default_factory=list)

    def add(self, name: str, requests: Iterable[ExpectedRequest]) -> None:
        """Add the requests of a paper."""
        if (model := self.resources.model) is None:
            return
        for one in requests:
            texts = [message.text for message in model.messages(one.prompt, one.values, one.answer)]
            if len(self.sample) < TOKENIZED:
                self.sample += texts
            adding = (1.0, float(sum(map(len, texts))), float(one.answer_chars))
            before = self.sums.get(name, (0.0, 0.0, 0.0))
            self.sums[name] = tuple(old + one.share * new for old, new in zip(before, adding, strict=True))

    def usages(self, factor: float) -> tuple[ExpectedUsage, ...]:
        """Return the expected usages, multiplied by a factor for papers that were not read."""
        if not self.sums or self.resources.model is None:
            return ()
        encoded = self.resources.embedder.tokenizer.encode_batch(self.sample)
        n_tokens = TOKENS_PER_WORDPIECE * sum(len(one.ids) for one in encoded)
        tokens_per_char = factor * n_tokens / sum(map(len, self.sample))
        found = []
        for name, (n, read, written) in self.sums.items():
            usage = self.resources.model.takes(round(read * tokens_per_char), round(written * tokens_per_char))
            found.append(ExpectedUsage(name, round(n * factor), usage.tokens, usage.cost))
        return tuple(found)


async def plan(
    database: Database,
    enrichments: Sequence[Enrichment],
    resources: EnrichmentContext,
    *,
    collection: str,
    most_read: int | None = None,
    progress: Progress = silent,
) -> EnrichmentEstimate:
    """Say what :func:`papergraph.ingest.enrichments.run.enrich` with the same arguments would take; nothing is written.

    Args:
        database: A prepared store.
        enrichments: The enrichments, with their options.
        resources: What they are made with.
        collection: Whose papers.
        most_read: How many papers are looked at, at even distances; None for all that lack an enrichment.
        progress: Hears how far it is.

    Raises:
        InputError: The collection's name is invalid.
        DatabaseError: Neo4j failed.
    """
    start = time.perf_counter()
    ordered = in_order(enrichments)
    due = await find_due(database, ordered, collection=collection)
    n_due = len(due.wanted)
    n_read = min(n_due, most_read or n_due)
    keys = [due.wanted[place * n_due // n_read].key for place in range(n_read)]
    n_chunks = n_requests = 0
    expectation = Expectation(resources)
    with_metadata = any(one.name == "metadata" for one in ordered)
    for first in range(0, len(keys), PAPERS_AT_ONCE):
        for paper in await read_papers(database, collection, keys[first : first + PAPERS_AT_ONCE]):
            n_chunks += len(paper.chunks)
            for enrichment in of_papers(ordered):
                if mark(enrichment) not in paper.enrichments:
                    n_requests += enrichment.requests(paper)
                    if isinstance(enrichment, ModelEnrichment):
                        known = replace(paper, metadata=ANY_METADATA) if with_metadata and not paper.metadata else paper
                        expectation.add(enrichment.name, enrichment.expected(known))
        progress.advance("papers", min(first + PAPERS_AT_ONCE, len(keys)), len(keys))
    if n_read:
        n_chunks, n_requests = (math.ceil(n * n_due / n_read) for n in (n_chunks, n_requests))
    most = resources.model.most(INPUT_TOKENS) if resources.model and n_requests else None
    return EnrichmentEstimate(
        collection,
        tuple(enrichment.name for enrichment in ordered),
        due.n_papers,
        n_due,
        n_read,
        n_chunks,
        n_requests,
        n_requests * most.tokens if most else 0,
        n_requests * most.cost if most else 0.0,
        expectation.usages(n_due / n_read) if n_read else (),
        tuple(enrichment.name for enrichment in due.spanning),
        time.perf_counter() - start,
    )


# Enrichments that can be made here, and what keeps the others from it


@dataclass(frozen=True)
class OfferedEnrichment(Record):
    """Enrichment that papers can be given."""

    name: Annotated[str, described("Name, for jobs and options.")]
    about: Annotated[str, described("Description of the enrichment, in one sentence.")]
    needs: Annotated[tuple[str, ...], described("Requirements, such as a language model.")]
    uses: Annotated[tuple[str, ...], described("Optional inputs: a language model, or other enrichments.")]
    missing: Annotated[
        tuple[str, ...],
        described("Obstacles to making it here, each with the next step; empty if it can be made."),
    ]


def offered(choice: EnrichmentOptions, model: LanguageModel | None) -> list[OfferedEnrichment]:
    """Return all kinds of enrichments in the order in which they are made; reads the files that options name.

    Args:
        choice: Options of the operator.
        model: The configured language model, or None.
    """
    found = []
    for name, kind in enrichments().items():
        section = choice.sections[name]
        needs = (LANGUAGE_MODEL,) if isinstance(_failure(section, None), ModelUnavailableError) else ()
        uses = tuple(used for used in kind.uses if used not in needs)
        found.append(OfferedEnrichment(name, kind.about, needs, uses, _missing(name, _failure(section, model))))
    return found


def names_with_model(choice: EnrichmentOptions, model: LanguageModel | None) -> list[str]:
    """Return the chosen enrichments that call the language model, with their options."""
    if model is None:
        return []
    return [name for name in choice.names if _calls(choice.sections[name], model)]


def _calls(section: Section, model: LanguageModel) -> bool:
    return (
        _failure(section, None) is not None
        or section.enrichment(None).config_hash != section.enrichment(model).config_hash
    )


def refuse_missing(choice: EnrichmentOptions, model: LanguageModel | None) -> None:
    """Refuse a choice of enrichments of which one cannot be made here.

    Raises:
        InputError: It says which one, and the next step.
    """
    for one in offered(choice, model):
        if one.name in choice.names and one.missing:
            raise InputError(f"Enrichment {one.name!r} cannot be made here. {one.missing[0]}", field="enrichments")


def _failure(section: Section, model: LanguageModel | None) -> PapergraphError | None:
    """Return the error with which an enrichment cannot be made with its options, or None."""
    try:
        section.enrichment(model)
    except PapergraphError as error:
        return error
    return None


def _missing(name: str, failure: PapergraphError | None) -> tuple[str, ...]:
    """Return a failure in words that name no file of the server."""
    if failure is None:
        return ()
    if isinstance(failure, ModelUnavailableError):
        return (NO_LANGUAGE_MODEL,)
    command = f"papergraph enrich --enrichments {name} --estimate"
    return (f"Its options cannot be used. Run {command} on the server, which shows the reason.",)
