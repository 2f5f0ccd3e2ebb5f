"""What ``papergraph enrich`` does, once it is known which Neo4j it works with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import ingest.layers.plan
import ingest.layers.run
from ingest.jobs import Job
from ingest.layers.choice import LayerChoice
from ingest.layers.layer import Means
from ingest.layers.plan import LayerPlan
from ingest.layers.run import Report
from papergraph.database import Database
from papergraph.language_model import Budget
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from server.opening import language_model, open_service


@asynccontextmanager
async def open_means(
    settings: Settings,
    address: Address,
    *,
    max_cost: float | None = None,
    unchanged: bool = False,
    progress: Progress = silent,
) -> AsyncIterator[tuple[Database, Means]]:
    """Open the store with what layers are made with."""
    opening = open_service(settings, address, progress=progress, deferred=True, unchanged=unchanged)
    async with language_model(settings) as model, opening as service:
        budget = None if max_cost is None else Budget(cost=max_cost)
        yield service.database, Means(service.embedder, model, budget)


async def enrich(
    settings: Settings,
    address: Address,
    choice: LayerChoice,
    *,
    collection: str,
    max_cost: float | None,
    progress: Progress,
) -> Report:
    """Bring layers up to date; see :func:`ingest.layers.run.enrich`."""
    async with open_means(settings, address, max_cost=max_cost, progress=progress) as (database, means):
        layers = choice.layers(means.model)
        return await ingest.layers.run.enrich(
            database, layers, means, collection=collection, settings=choice.model_dump_json(), progress=progress
        )


async def enqueue(settings: Settings, address: Address, choice: LayerChoice, *, collection: str) -> Job | None:
    """Open a job for ``papergraph worker``; None if there is nothing to do."""
    async with open_means(settings, address) as (database, means):
        layers = choice.layers(means.model)
        kept = choice.model_dump_json()
        return await ingest.layers.run.enqueue(database, layers, collection=collection, settings=kept)


async def plan(
    settings: Settings, address: Address, choice: LayerChoice, *, collection: str, progress: Progress
) -> LayerPlan:
    """Say what bringing layers up to date would take; see :func:`ingest.layers.plan.plan`."""
    async with open_means(settings, address, unchanged=True, progress=progress) as (database, means):
        layers = choice.layers(means.model)
        return await ingest.layers.plan.plan(database, layers, means, collection=collection, progress=progress)
