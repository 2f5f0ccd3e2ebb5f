"""Enrichments for every interface: which there are, what they would take, and jobs that make them.

Options are the operator's, because they name files of the server.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import StringConstraints

from papergraph.errors import NotFoundError
from papergraph.ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from papergraph.ingest.enrichments.estimate import (
    EnrichmentEstimate,
    OfferedEnrichment,
    names_with_model,
    offered,
    plan,
    refuse_missing,
)
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import find_due, open_job
from papergraph.ingest.jobs.model import Job
from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import refuse_unknown_collection

MOST_NAMES, MOST_NAME_CHARS = 20, 60
MOST_READ = 500
"""Papers that one estimate looks at."""

Names = tuple[Annotated[str, StringConstraints(max_length=MOST_NAME_CHARS, pattern="^[^,]+$")], ...]


@request()
class EnrichEstimateRequest:
    """Enrichments of the papers of a collection, to estimate."""

    enrichments: Annotated[
        Names, described("Names of enrichments, from the list of enrichments; default: all.", max_length=MOST_NAMES)
    ] = ()
    collection: InCollection = None


@request(title="EnrichBody")
class EnrichRequest:
    """Enrichments to make of the papers of a collection."""

    enrichments: Annotated[
        Names,
        described(
            "Names of enrichments, from the list of enrichments.",
            min_length=1,
            max_length=MOST_NAMES,
            examples=[["questions", "entities"]],
        ),
    ]
    collection: InCollection = None


@dataclass(frozen=True)
class EnrichService:
    """Service of enrichments.

    Attributes:
        resources: The store, its embedding model, and the language model.
        options: Options of enrichments.
    """

    resources: Resources
    options: EnrichmentOptions

    async def offered(self) -> list[OfferedEnrichment]:
        """Return the enrichments that papers can be given, in the order in which they are made."""
        return await asyncio.to_thread(offered, self.options, self.resources.language_model)

    async def estimate(self, principal: Principal, request: EnrichEstimateRequest) -> EnrichmentEstimate:
        """Return what making enrichments would take; of many papers some are looked at, at even distances.

        Raises:
            InputError: An enrichment is unknown or unavailable.
            NotFoundError: The collection is missing or forbidden.
            DatabaseError: Neo4j failed.
        """
        collection = await self._collection(principal, request)
        enrichments = await self._enrichments(self.options.named(request.enrichments))
        model = self.resources.language_model
        resources = EnrichmentContext(self.resources.model.searched.embedder, model)
        return await plan(self.resources.database, enrichments, resources, collection=collection, most_read=MOST_READ)

    async def open_job(self, principal: Principal, request: EnrichRequest) -> Job:
        """Open a durable job for the missing enrichments of papers.

        Enrichments by a language model require the scope ``ask`` too. A job without work is finished at once. An equal
        request continues its job. The daily budget of the caller's account pays for language models.

        Raises:
            AccessError: The key lacks ``ask``, and an enrichment calls the language model.
            InputError: An enrichment is unknown or unavailable.
            NotFoundError: The collection is missing or forbidden.
            ConflictError: The account has too many unfinished jobs.
            DatabaseError: The outcome is unknown; the same call continues.
        """
        collection = await self._collection(principal, request)
        choice = replace(self.options.named(request.enrichments), account=principal.account)
        enrichments, database = await self._enrichments(choice), self.resources.database
        for name in await asyncio.to_thread(names_with_model, choice, self.resources.language_model):
            principal.require(KeyScope.ASK, f"enrichment {name} by a language model")
        due = await find_due(database, enrichments, collection=collection)
        settings, account = choice.to_json(), principal.account
        return await open_job(database, enrichments, due, collection=collection, settings=settings, account=account)

    async def _collection(self, principal: Principal, request: EnrichEstimateRequest | EnrichRequest) -> str:
        collection = request.collection or principal.default_collection
        if principal.collections is not None and collection not in principal.collections:
            raise NotFoundError.collection(collection)
        await refuse_unknown_collection(self.resources.database, collection)
        return collection

    async def _enrichments(self, choice: EnrichmentOptions) -> list[Enrichment]:
        model = self.resources.language_model

        def made() -> list[Enrichment]:
            refuse_missing(choice, model)
            return choice.enrichments(model)

        return await asyncio.to_thread(made)
