"""Probes: ``/healthz`` says that the process is alive, ``/readyz`` that it can answer, by reading from the store."""

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
    """Say whether questions can be answered now; 503 with the parts at fault otherwise."""
    service: Service = request.app.state.service
    faults = ["database"] if await database_trouble(service.database) else []
    if faults:
        response.status_code = 503
    return {"status": "unavailable" if faults else "ready", "faults": faults}
