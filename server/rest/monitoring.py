"""Probes at ``/healthz`` and ``/readyz``, and metrics for Prometheus at ``/metrics``.

docs/observability.md lists the metrics.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request, Response
from prometheus_client.exposition import choose_encoder
from starlette.middleware.trustedhost import TrustedHostMiddleware

from papergraph.database import Database
from papergraph.errors import DatabaseError
from papergraph.ingest.jobs.queue import count_states
from papergraph.local_neo4j.state import ServerState
from papergraph.schema.archive.schedule import ages
from papergraph.schema.health import database_trouble
from papergraph.server.auth.operations import METRICS, PUBLIC
from papergraph.server.auth.server_limits import LOOPBACK_NAMES, is_loopback
from papergraph.server.middleware.origins import SecurityHeaders
from papergraph.server.operations.service import Service
from papergraph.telemetry.metrics import REGISTRY, LedgerGauges

KEPT_S = 5.0
"""Lifetime of the cached ledger in seconds, for several scrapers."""

DEADLINE_S = 2.0
"""Timeout of the ledger in seconds; Prometheus gives up after 10 s and would lose all metrics."""


class Exposition:
    """The process's metrics, with those of a store's ledger if one is given: one process of several is to tell them."""

    def __init__(
        self,
        database: Database | None = None,
        local_servers: Callable[[], Sequence[ServerState]] = tuple,
        backups: Path | None = None,
    ) -> None:
        self._database, self._local_servers, self._backups = database, local_servers, backups
        self._ledger = LedgerGauges()
        self._asked_at = -KEPT_S
        self._asking = asyncio.Lock()

    async def answer(self, accept: str) -> Response:
        """Return the metrics in a form that a client takes."""
        if self._database is not None:
            await self._ask(self._database)
        encode, content_type = choose_encoder(accept)
        collector = REGISTRY if self._database is None else self._ledger
        text = await asyncio.to_thread(encode, collector)  # thousands of lines, which would hold up all answers
        return Response(text, headers={"Content-Type": content_type})

    async def _ask(self, database: Database) -> None:
        async with self._asking:
            if time.monotonic() - self._asked_at < KEPT_S:
                return
            try:
                jobs, tasks = await count_states(database, deadline_s=DEADLINE_S)
                self._ledger.set(jobs.items(), tasks.items())
            except DatabaseError:
                self._ledger.clear()
            states = await asyncio.to_thread(self._local_servers)
            self._ledger.set_servers((state.kind, state.is_running, state.restarts) for state in states)
            if self._backups is not None:
                self._ledger.set_backups(await asyncio.to_thread(lambda folder: [*ages(folder)], self._backups))
            self._asked_at = time.monotonic()


router = APIRouter()


@router.get("/metrics")
@METRICS
async def metrics(request: Request) -> Response:
    """Tell the metrics."""
    exposition: Exposition = request.app.state.exposition
    return await exposition.answer(request.headers.get("accept", ""))


def metrics_app(exposition: Exposition, *, host: str) -> FastAPI:
    """Return an application with metrics only, for a separate port, without keys."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.exposition = exposition
    app.include_router(router)
    if is_loopback(host):  # a page that makes its own name resolve to this machine is not to read them
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK_NAMES, www_redirect=False)
    app.add_middleware(SecurityHeaders)
    return app


probes = APIRouter()


@probes.get("/healthz")
@PUBLIC
async def healthz() -> Mapping[str, str]:
    """Say that the process is alive."""
    return {"status": "ok"}


@probes.get("/readyz")
@PUBLIC
async def readyz(request: Request, response: Response) -> Mapping[str, object]:
    """Say whether questions can be answered now; 503 without the database.

    Other parts at fault do not change the status: ``replica``, whose Neo4j does not run, and ``cypher``, which is
    paused because a query that was ended still runs.
    """
    service: Service = request.app.state.service
    faults = ["database"] if await database_trouble(service.database) else []
    if any(
        state.kind == "replica" and not state.is_running for state in await asyncio.to_thread(service.local_servers)
    ):
        faults.append("replica")
    if service.desk is not None and service.desk.is_stuck:
        faults.append("cypher")
    if "database" in faults:
        response.status_code = 503
        return {"status": "unavailable", "faults": faults}
    return {"status": "degraded" if faults else "ready", "faults": faults}
