"""All of REST in one application."""

from typing import Any

from fastapi import APIRouter, Depends, FastAPI

from server.access.limits import Limits
from server.access.policy import Policy
from server.rest import answering, graph, jobs, querying, searching, uploads
from server.rest.asking import Terms, turn
from server.rest.openapi import add_openapi, describe
from server.rest.problems import add_problems

ROUTERS = {
    "The graph": graph.router,
    "Searching": searching.router,
    "Answers": answering.router,
    "Cypher": querying.router,
    "Jobs": jobs.router,
    "Uploads": uploads.router,
}
"""By the heading that their routes stand under in the description."""

BRIEF = (graph.router, searching.router)
"""Those whose answers take as much work as time, so that each waits for its turn; others are open for long."""


def description() -> dict[str, Any]:
    """Return what describes REST, as ``schema/openapi.json`` holds it."""
    app = FastAPI()
    add_rest(app, Terms(Limits(Policy()), max_cost=0))
    return describe(app)


def add_rest(app: FastAPI, terms: Terms) -> None:
    """Add ``/v1`` and its description to an application, on these terms."""
    app.state.terms = terms
    router = APIRouter(prefix="/v1", generate_unique_id_function=lambda route: route.name)
    for heading, routes in ROUTERS.items():
        router.include_router(routes, tags=[heading], dependencies=[Depends(turn)] if routes in BRIEF else [])
    app.include_router(router)
    add_problems(app)
    add_openapi(app)
