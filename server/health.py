"""Probes: ``/healthz`` says that the process is alive, ``/readyz`` that it can answer, by reading from the store."""

from asyncio import to_thread
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from schema.health import database_trouble
from server.auth.access import Anyone, access
from server.service import Service

router = APIRouter()


@router.get("/healthz")
@access(Anyone.AT_ALL)
async def healthz() -> Mapping[str, str]:
    """Say that the process is alive."""
    return {"status": "ok"}


@router.get("/readyz")
@access(Anyone.AT_ALL)
async def readyz(request: Request, response: Response) -> Mapping[str, object]:
    """Say whether questions can be answered now; 503 without the database.

    Other parts at fault do not change the status: ``snapshot``, whose Neo4j does not run, and ``cypher``, which is
    paused because a query that was ended still runs.
    """
    service: Service = request.app.state.service
    faults = ["database"] if await database_trouble(service.database) else []
    if any(state.kind == "snapshot" and not state.is_running for state in await to_thread(service.local_servers)):
        faults.append("snapshot")
    if service.desk is not None and service.desk.is_stuck:
        faults.append("cypher")
    if "database" in faults:
        response.status_code = 503
        return {"status": "unavailable", "faults": faults}
    return {"status": "degraded" if faults else "ready", "faults": faults}
