"""Context of one request: the service, its principal, and the limits of the principal."""

from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from starlette.requests import HTTPConnection

from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.schema.ids import ID
from papergraph.server.auth.access import Principal, everything
from papergraph.server.auth.credentials import Credentials
from papergraph.server.auth.operations import operation_of, too_complex
from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.graph import nodes as reading
from papergraph.server.operations.enrich import EnrichService
from papergraph.server.operations.error_responses import new_request_id, request_id_of
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.keys import ServerInfo, server_info
from papergraph.server.operations.service import Service
from papergraph.server.operations.zotero_access import ZoteroAccess
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import AllowedCollections


@dataclass(frozen=True)
class CostLimits:
    """Common limits of all requests; unlimited by default.

    Attributes:
        rate: Rest of requests and cost per principal.
        max_cost: Highest cost of a request.
        spending: Budgets for language models; None for no limit.
    """

    rate: RateLimiter = field(default_factory=lambda: RateLimiter(ServerLimits()))
    max_cost: int = 0
    spending: UsageBudget | None = None


@dataclass
class RequestContext:
    """One request of any interface.

    Attributes:
        service: The open service.
        principal: Principal of the request.
        limits: Its limits.
        credentials: Credentials of the request, for later checks; None for calls within the process.
        request_id: The id of the request in errors and in the log.
    """

    service: Service
    principal: Principal = field(default_factory=everything)
    limits: CostLimits = field(default_factory=CostLimits)
    credentials: Credentials | None = None
    request_id: str = field(default_factory=new_request_id)

    @property
    def database(self) -> Database:
        """The store."""
        return self.service.database

    @property
    def intake(self) -> IngestService:
        """Ingestion of the service.

        Raises:
            NotFoundError: The server does not ingest.
        """
        if self.service.intake is None:
            raise NotFoundError("ingestion", "", field="sources", message="This server does not ingest papers.")
        return self.service.intake

    @property
    def zotero(self) -> ZoteroAccess:
        """Zotero of the service.

        Raises:
            NotFoundError: The service has none.
        """
        if self.service.zotero is None:
            raise NotFoundError("Zotero", "", field="library", message="This service does not know Zotero.")
        return self.service.zotero

    @property
    def enriching(self) -> EnrichService:
        """Enrichments of the service."""
        return EnrichService(self.service.resources, self.service.enrichments)

    @property
    def resources(self) -> Resources:
        """Resources of pipelines, with turns of the principal's account."""
        return replace(self.service.resources, turn=partial(self.limits.rate.turn, self.principal))

    @property
    def server(self) -> ServerInfo:
        """Description of the server."""
        service = self.service
        uploads = service.uploads
        return server_info(
            service.resources, uploads, has_cypher=service.desk is not None, sign_up=self.limits.rate.sign_up
        )

    @property
    def collections(self) -> AllowedCollections:
        """The collections that it reaches, for every query that reads by id; None for all."""
        return self.principal.collections

    def collection(self, name: str | None) -> str:
        """Return the collection that is named; else ``main`` where the key reaches it, or the key's first one."""
        return name if name is not None else self.principal.default_collection

    async def charge(self, cost: int) -> None:
        """Charge what the answer costs, before any of it is read.

        Raises:
            PapergraphError: It is more than one request may cost.
            RateLimitedError: Not that much is left.
        """
        if cost > self.limits.max_cost:
            raise too_complex(cost, self.limits.max_cost)
        await self.limits.rate.charge(self.principal, cost)

    async def stay(self) -> None:
        """Check the key again, for a request that takes long.

        Raises:
            AccessError: The key is not valid any more, or was changed.
            DatabaseError: It could not be looked up.
        """
        if self.credentials is not None:
            await self.credentials.stay(self.principal)

    async def node(self, id: str, kind: type[Any] = object) -> Any:
        """Return the node with an id, checked against ``kind`` if given.

        Raises:
            NotFoundError: The node is missing or forbidden.
        """
        return await reading.node_by_id(self.database, id, kind, collections=self.collections)


def request_context(connection: HTTPConnection) -> RequestContext:
    """Return the context of a request that passed authentication."""
    app, state = connection.app.state, connection.state
    return RequestContext(app.service, state.principal, app.limits, state.credentials, request_id_of(connection.scope))


async def turn(request: Request) -> AsyncIterator[None]:
    """Wait for the turn of a request whose route is queued, and hold it until the answer is complete.

    Raises:
        OverloadedError: The turn did not come in time.
    """
    limits: CostLimits = request.app.state.limits
    queued = operation_of(request.scope["endpoint"]).queued
    async with limits.rate.turn(request.state.principal) if queued else nullcontext():
        yield


Context = Annotated[RequestContext, Depends(request_context)]
Id = Annotated[str, Path(pattern=f"^{ID.pattern}$", description="sha-256 hex, the same as in the graph.")]
