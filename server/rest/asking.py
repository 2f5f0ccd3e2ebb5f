"""What a request of REST carries: the service, whose it is, and what its answer costs."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from papergraph.database import Database
from papergraph.errors import NotFoundError, QueryTooComplexError
from schema.ids import COLLECTION, DEFAULT_COLLECTION, ID
from schema.records import Node, Paper
from server.access.grants import Grant
from server.access.limits import Limits
from server.access.spending import Spending
from server.access.visits import Visit
from server.cursors import MAX_CURSOR_CHARS
from server.error_bodies import request_id_of
from server.intake import Intake
from server.rest import models
from server.retrieval import reading
from server.retrieval.reading import MAX_PAGE
from server.retrieval.scope import Reach
from server.service import Service


@dataclass(frozen=True)
class Terms:
    """What all requests share: what is left to each, the highest cost of one, and what models may cost."""

    limits: Limits
    max_cost: int
    spending: Spending | None = None


@dataclass(frozen=True)
class Asked:
    """The service, and what one request may ask of it.

    Attributes:
        service: What answers.
        grant: Whose request it is.
        terms: What it may cost.
        request_id: Stands in problems and in the log.
        visit: Tells what the grant still is.
    """

    service: Service
    grant: Grant
    terms: Terms
    request_id: str
    visit: Visit

    @property
    def database(self) -> Database:
        """The store."""
        return self.service.database

    @property
    def intake(self) -> Intake:
        """What documents are brought in by.

        Raises:
            NotFoundError: This server brings nothing in.
        """
        if self.service.intake is None:
            raise NotFoundError("intake of papers on", "this server", field="sources")
        return self.service.intake

    @property
    def collections(self) -> Reach:
        """The collections that it reaches, for every query that reads by id; None for all."""
        return self.grant.collections

    async def charge(self, cost: int) -> None:
        """Charge what the answer costs, before any of it is read.

        Raises:
            QueryTooComplexError: It is more than one request may cost.
            RateLimitedError: Not that much is left.
        """
        if cost > self.terms.max_cost:
            raise QueryTooComplexError(cost, self.terms.max_cost)
        await self.terms.limits.charge(self.grant, cost)

    async def node(self, id: str, kind: type[Any] = object) -> Any:
        """Return the node with an id, of a kind where one is named.

        Raises:
            NotFoundError: There is none that is reached.
        """
        return await reading.node_by_id(self.database, id, kind, collections=self.collections)

    async def papers(self, records: Sequence[Paper]) -> list[models.Paper]:
        """Return papers with their authors; one query for all."""
        if not records:
            return []
        ids = list(dict.fromkeys(record.id for record in records))
        found = await reading.authors_of(self.database, ids, collections=self.collections)
        authors = dict(zip(ids, found, strict=True))
        return [models.Paper.of(record, authors[record.id]) for record in records]

    async def nodes(self, records: Sequence[Node]) -> list[models.Node]:
        """Return nodes of any kind, each with what it is."""
        papers = await self.papers([record for record in records if isinstance(record, Paper)])
        by_id = {paper.id: paper for paper in papers}
        return [
            models.Node(
                label=type(record).__name__,
                node=by_id.get(record.id) or models.MODELS[type(record)].model_validate(record),
            )
            for record in records
        ]


def asked(request: Request) -> Asked:
    """Return what a request carries."""
    state = request.app.state
    return Asked(state.service, request.state.grant, state.terms, request_id_of(request.scope), request.state.visit)


async def turn(request: Request) -> AsyncIterator[None]:
    """Have a request wait for its turn, and hold it until it is answered.

    Raises:
        OverloadedError: It did not come in time.
    """
    terms: Terms = request.app.state.terms
    async with terms.limits.turn():
        yield


Ask = Annotated[Asked, Depends(asked)]
Id = Annotated[str, Path(pattern=f"^{ID.pattern}$", description="sha-256 hex, the same as in the graph.")]


class Given(BaseModel):
    """What a client sends, in camelCase; names that mean nothing are refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", use_attribute_docstrings=True
    )


class PageOf(Given):
    """Which part of a list is asked for."""

    first: int = Field(default=20, ge=1, le=MAX_PAGE)
    """How many entries."""

    after: str | None = Field(default=None, max_length=MAX_CURSOR_CHARS)
    """The ``next`` of the page before."""

    count: bool = False
    """Whether to tell the length of the whole list."""


class InCollection(Given):
    """Where to look."""

    collection: str = Field(default=DEFAULT_COLLECTION, pattern=f"^{COLLECTION.pattern}$")


class PageOfCollection(InCollection, PageOf):
    """Which part of a collection's list is asked for."""
