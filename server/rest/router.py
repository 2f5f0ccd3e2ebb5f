"""Router of REST."""

from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from pydantic.alias_generators import to_camel
from starlette.routing import BaseRoute

from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.context import CostLimits, turn
from papergraph.server.rest import ask as answering
from papergraph.server.rest import (
    collections,
    endpoints,
    enrichments,
    files,
    graph,
    inbox,
    jobs,
    keys,
    managed_papers,
    pages,
    screening,
    sign_up,
    tables,
    uploads,
    zotero,
)
from papergraph.server.rest import cypher as querying
from papergraph.server.rest import search as searching
from papergraph.server.rest.openapi import add_openapi, describe
from papergraph.server.rest.problems import add_problems

ROUTERS = {
    "Server": keys.server_router,
    "Pages": pages.router,
    "Map": graph.map_router,
    "Files": files.router,
    "Collections": collections.router,
    "Papers, authors and entities": managed_papers.router,
    "Graph": graph.router,
    "Reads": endpoints.router,
    "Search": searching.router,
    "Answers": answering.router,
    "Stored answers": answering.stored_router,
    "Summaries": enrichments.summaries_router,
    "Cypher": querying.router,
    "Inbox and watches": inbox.router,
    "Zotero": zotero.router,
    "Jobs": jobs.router,
    "Enrichments": enrichments.router,
    "Evidence tables": tables.router,
    "Screenings": screening.router,
    "Uploads": uploads.router,
    "Keys": keys.router,
    "Sign-up": sign_up.router,
}
"""By the heading that their routes stand under in the description."""


def description() -> dict[str, Any]:
    """Return what describes REST, as ``schema/openapi.json`` holds it."""
    app = FastAPI()
    add_rest(app, CostLimits(RateLimiter(ServerLimits()), max_cost=0))
    return describe(app)


def add_rest(app: FastAPI, limits: CostLimits) -> None:
    """Add ``/v1`` and its description to an application, within these limits."""
    app.state.limits = limits
    app.router.routes.extend(_routes())
    add_problems(app)
    add_openapi(app)


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes below ``/v1``, the same for all applications: FastAPI reads their 100 signatures once."""
    router, root = APIRouter(prefix="/v1", generate_unique_id_function=lambda route: to_camel(route.name)), APIRouter()
    for heading, routes in ROUTERS.items():
        router.include_router(routes, tags=[heading], dependencies=[Depends(turn)])
    root.include_router(router)
    return root.routes
