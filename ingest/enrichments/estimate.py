"""Enrichments that are offered, and the estimate of one."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from papergraph.database import Database
from papergraph.errors import InputError, ModelUnavailableError, PapergraphError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, NO_LANGUAGE_MODEL, Section
from papergraph.ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import find_due, in_order
from papergraph.ingest.enrichments.state import mark, of_papers, read_papers
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress, silent
from papergraph.records import Record, described, internal

# Estimate of enrichments before any money is spent


PAPERS_AT_ONCE = 32
INPUT_TOKENS = 5000
"""Input of one request at most: what enrichments put into a prompt is bounded, at 12,000 letters beside its own."""


@dataclass(frozen=True)
class EnrichmentEstimate(Record):
    """Estimate of enrichments; requests, tokens and cost are upper bounds."""

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
    spanning: Annotated[tuple[str, ...], described("Enrichments over the whole collection that would be made again.")]
    elapsed_s: Annotated[float, internal("Duration of the estimate in seconds.")]


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
    for first in range(0, len(keys), PAPERS_AT_ONCE):
        for paper in await read_papers(database, collection, keys[first : first + PAPERS_AT_ONCE]):
            n_chunks += len(paper.chunks)
            n_requests += sum(
                enrichment.requests(paper)
                for enrichment in of_papers(ordered)
                if mark(enrichment) not in paper.enrichments
            )
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
