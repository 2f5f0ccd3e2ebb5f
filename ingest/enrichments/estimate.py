"""What making enrichments would take, before anything is spent."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from ingest.enrichments.run import find_due, in_order
from ingest.enrichments.state import mark, of_papers, read_papers
from papergraph.database import Database
from papergraph.progress import Progress, silent
from papergraph.records import Record, described, internal

PAPERS_AT_ONCE = 32
INPUT_TOKENS = 5000
"""Input of one request at most: what enrichments put into a prompt is bounded, at 12,000 letters beside its own."""


@dataclass(frozen=True)
class EnrichmentEstimate(Record):
    """What making enrichments would take; of requests, tokens and cost the most that it can come to."""

    collection: Annotated[str, described("Whose papers.")]
    enrichments: Annotated[tuple[str, ...], described("Names of the enrichments.")]
    n_papers: Annotated[int, described("Papers of the collection.")]
    n_due: Annotated[int, described("Papers that lack one of the enrichments.")]
    n_read: Annotated[int, described("How many of these were looked at; the others are taken to be like them.")]
    n_chunks: Annotated[int, described("Chunks of the papers that lack one.")]
    n_requests: Annotated[
        int, described("Requests to the language model, those for what is kept in the cache included.")
    ]
    n_tokens: Annotated[int, described("Tokens of their input and output together.")]
    cost: Annotated[float, described("What is paid for them at the prices that are set.")]
    spanning: Annotated[tuple[str, ...], described("Enrichments over the whole collection that would be made again.")]
    elapsed_s: Annotated[float, internal("How long it took to find all this out.")]


async def plan(
    database: Database,
    enrichments: Sequence[Enrichment],
    means: EnrichmentContext,
    *,
    collection: str,
    most_read: int | None = None,
    progress: Progress = silent,
) -> EnrichmentEstimate:
    """Say what :func:`ingest.enrichments.run.enrich` with the same arguments would take; nothing is written.

    Args:
        database: A prepared store.
        enrichments: The enrichments, with their options.
        means: What they are made with.
        collection: Whose papers.
        most_read: How many papers are looked at, at even distances; None for all that lack an enrichment.
        progress: Hears how far it is.

    Raises:
        InputError: The collection has no valid name.
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
    most = means.model.most(INPUT_TOKENS) if means.model and n_requests else None
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
