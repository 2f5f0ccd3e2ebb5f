"""Probes: ``/healthz`` says that the process is alive, ``/readyz`` that it can answer, by reading from the store."""

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

import cypher
from papergraph.errors import DatabaseError
from server.service import Service

DEADLINE_S = 2.0
router = APIRouter()


@router.get("/healthz")
async def healthz() -> Mapping[str, str]:
    """Say that the process is alive."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request, response: Response) -> Mapping[str, object]:
    """Say whether questions can be answered now; 503 with the parts at fault otherwise.

    A ping is not enough: a database whose disk is full answers pings and calls itself online, and only refuses reads.
    """
    service: Service = request.app.state.service
    faults = await database_faults(service)
    if faults:
        response.status_code = 503
    return {"status": "unavailable" if faults else "ready", "faults": faults}


async def database_faults(service: Service) -> list[str]:
    """Return the names of the parts that cannot be used; none when all is well."""
    database = service.database
    try:
        await database.read(cypher.load("health/read"), deadline_s=DEADLINE_S)
        databases = await database.read(cypher.load("health/databases"), deadline_s=DEADLINE_S)
    except DatabaseError:
        return ["database"]
    own = [record for record in databases if record["name"] == database.name]
    healthy = bool(own) and all(record["status"] == "online" and not record["message"] for record in own)
    return [] if healthy else ["database"]
