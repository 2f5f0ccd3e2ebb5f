"""Routes of simple reads, made of :mod:`papergraph.server.endpoints`."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from papergraph.requests import read_request
from papergraph.schema import records
from papergraph.server.endpoints import Endpoint, Read, endpoints
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.rest import models
from papergraph.server.rest.pagination import papers_with_authors
from papergraph.server.rest.requests import ListResponse, query_parameters

router = APIRouter()


async def answer(context: RequestContext, request: Read[Any]) -> ListResponse[Any]:
    """Return what a request reads, papers with their authors."""
    found: list[Any] = await request.read(context)
    if found and isinstance(found[0], records.Paper):
        found = await papers_with_authors(context, found)
    return ListResponse(data=found)


def model_of(one: Endpoint) -> Any:
    """Return the model of an endpoint's response."""
    return ListResponse[models.Paper if one.record is records.Paper else one.record]  # type: ignore[misc]


def _add(one: Endpoint) -> None:
    wanted_by = query_parameters(one.request)

    @one.operation.answering(model_of(one))
    async def respond(context: Context, wanted: Annotated[wanted_by, Query()]) -> Any:  # type: ignore[valid-type]
        return await answer(context, read_request(one.request, dict(wanted)))

    name = f"list_{one.route[1:].replace('/', '_').replace('-', '_')}"
    router.add_api_route(one.route, respond, name=name, summary=one.about, response_model=model_of(one))


for _one in endpoints().values():
    _add(_one)
