"""Operations of ``papergraph enrich`` on an open store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import papergraph.ingest.enrichments.estimate
import papergraph.ingest.enrichments.run
from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.estimate import EnrichmentEstimate
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import EnrichReport
from papergraph.ingest.jobs.model import Job
from papergraph.language_model import Budget
from papergraph.progress import Progress, silent
from papergraph.schema.ids import DEFAULT_COLLECTION, check_collection
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.scope import refuse_unknown_collection
from papergraph.server.startup import language_model, open_service
from papergraph.settings import Settings
from papergraph.store import Address


@asynccontextmanager
async def open_resources(
    settings: Settings,
    address: Address,
    collection: str,
    *,
    max_cost: float | None = None,
    unchanged: bool = False,
    progress: Progress = silent,
) -> AsyncIterator[tuple[Database, EnrichmentContext]]:
    """Open the store with what enrichments of a collection are made with.

    Raises:
        NotFoundError: There is no such collection.
    """
    opening = open_service(settings, address, progress=progress, unchanged=unchanged)
    async with language_model(settings) as model, opening as service:
        await refuse_unknown_collection(service.database, check_collection(collection))
        budget = None if max_cost is None else Budget(cost=max_cost)
        yield service.database, EnrichmentContext(service.embedder, model, budget)


async def enrich(
    settings: Settings,
    address: Address,
    choice: EnrichmentOptions,
    *,
    collection: str,
    max_cost: float | None,
    progress: Progress,
) -> EnrichReport:
    """Bring enrichments up to date; see :func:`papergraph.ingest.enrichments.run.enrich`."""
    async with open_resources(settings, address, collection, max_cost=max_cost, progress=progress) as (
        database,
        resources,
    ):
        enrichments = choice.enrichments(resources.model)
        return await papergraph.ingest.enrichments.run.enrich(
            database, enrichments, resources, collection=collection, settings=choice.to_json(), progress=progress
        )


async def enqueue_samples(service: Service, n_samples: int) -> Job | None:
    """Open a job that makes all enrichments of the samples that need no language model.

    Args:
        service: The store with its embedding model.
        n_samples: Number of sample papers.

    Returns:
        The job; None if there is nothing to do, or other papers are in the collection, whose enrichments stay.
    """
    choice = EnrichmentOptions.read()
    enrichments = choice.enrichments(None)
    due = await papergraph.ingest.enrichments.run.find_due(service.database, enrichments, collection=DEFAULT_COLLECTION)
    if due.n_papers != n_samples:
        return None
    return await papergraph.ingest.enrichments.run.enqueue(
        service.database, enrichments, collection=DEFAULT_COLLECTION, settings=choice.to_json()
    )


async def enqueue(settings: Settings, address: Address, choice: EnrichmentOptions, *, collection: str) -> Job | None:
    """Open a job for ``papergraph worker``; None if there is nothing to do."""
    async with open_resources(settings, address, collection) as (database, resources):
        enrichments = choice.enrichments(resources.model)
        kept = choice.to_json()
        return await papergraph.ingest.enrichments.run.enqueue(
            database, enrichments, collection=collection, settings=kept
        )


async def plan(
    settings: Settings, address: Address, choice: EnrichmentOptions, *, collection: str, progress: Progress
) -> EnrichmentEstimate:
    """Say what bringing enrichments up to date would take; see :func:`papergraph.ingest.enrichments.estimate.plan`."""
    async with open_resources(settings, address, collection, unchanged=True, progress=progress) as (
        database,
        resources,
    ):
        enrichments = choice.enrichments(resources.model)
        return await papergraph.ingest.enrichments.estimate.plan(
            database, enrichments, resources, collection=collection, progress=progress
        )
