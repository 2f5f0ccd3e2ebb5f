"""Enrichments for every interface: which there are, what they would take, and jobs that make them.

Options are the operator's, because they name files of the server.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment, offered, plan, refuse_missing
from ingest.enrichments.options import EnrichmentOptions
from ingest.enrichments.run import find_due, open_job
from ingest.jobs.model import Job
from papergraph.errors import InputError, NotFoundError
from schema.ids import check_collection
from server.retrieval.resources import Resources
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection

MOST_NAMES, MOST_NAME_CHARS = 20, 60
MOST_READ = 500
"""Papers that one estimate looks at."""


@dataclass(frozen=True)
class EnrichService:
    """What enrichments are made with.

    Attributes:
        resources: The store, its embedding model, and the language model.
        options: How enrichments are made here.
    """

    resources: Resources
    options: EnrichmentOptions

    async def offered(self) -> list[OfferedEnrichment]:
        """Return the enrichments that papers can be given, in the order in which they are made."""
        return await asyncio.to_thread(offered, self.options, self.resources.language_model)

    async def estimate(
        self, names: Sequence[str], collection: str, *, collections: AllowedCollections = None
    ) -> EnrichmentEstimate:
        """Return what making enrichments would take; of many papers some are looked at, at even distances.

        Args:
            names: Which enrichments; all if empty.
            collection: Whose papers.
            collections: The collections that the asker reaches; None for all.

        Raises:
            InputError: There is no such enrichment, or one cannot be made here.
            NotFoundError: The asker reaches no such collection.
            DatabaseError: Neo4j failed.
        """
        await self._check(collection, collections)
        enrichments = await self._enrichments(self._named(names))
        model = self.resources.language_model
        means = EnrichmentContext(self.resources.model.searched.embedder, model)
        return await plan(self.resources.database, enrichments, means, collection=collection, most_read=MOST_READ)

    async def open_job(
        self, names: Sequence[str], collection: str, *, collections: AllowedCollections = None, asker: str = ""
    ) -> Job:
        """Open a job that gives papers the enrichments that they lack; it is durable when this returns.

        Where nothing is to be done it is done at once. The same request again goes on with its job.

        Args:
            names: Which enrichments, at least one.
            collection: Whose papers.
            collections: The collections that the asker reaches; None for all.
            asker: Whose daily budget for language models the job has.

        Raises:
            InputError: There is no such enrichment, or one cannot be made here.
            NotFoundError: The asker reaches no such collection.
            DatabaseError: The job is not known to be there; the same call again goes on.
        """
        if not names:
            raise InputError("Name at least one enrichment.", field="enrichments")
        await self._check(collection, collections)
        choice, database = replace(self._named(names), asker=asker), self.resources.database
        enrichments = await self._enrichments(choice)
        due = await find_due(database, enrichments, collection=collection)
        return await open_job(database, enrichments, due, collection=collection, settings=choice.to_json())

    def _named(self, names: Sequence[str]) -> EnrichmentOptions:
        if len(names) > MOST_NAMES or any(len(name) > MOST_NAME_CHARS or "," in name for name in names):
            raise InputError(
                f"Name at most {MOST_NAMES} enrichments, each with at most {MOST_NAME_CHARS} characters and no comma.",
                field="enrichments",
            )
        return self.options.named(names)

    async def _check(self, collection: str, collections: AllowedCollections) -> None:
        check_collection(collection)
        if collections is not None and collection not in collections:
            raise NotFoundError.collection(collection)
        await refuse_unknown_collection(self.resources.database, collection)

    async def _enrichments(self, choice: EnrichmentOptions) -> list[Enrichment]:
        model = self.resources.language_model

        def made() -> list[Enrichment]:
            refuse_missing(choice, model)
            return choice.enrichments(model)

        return await asyncio.to_thread(made)
