"""Fields of simple reads, made of :mod:`papergraph.server.endpoints`."""

import inspect
from typing import Any

import strawberry

from papergraph.records import NOT_IN_GRAPHQL
from papergraph.requests import PYTHON_ONLY, offered, read_request
from papergraph.server.endpoints import Endpoint, endpoints
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import argument, graphql_type, input_data
from papergraph.server.graphql.types import nodes  # noqa: F401 - declares the types of records


def _field(one: Endpoint) -> Any:
    async def resolve(root: Any, info: Info, **values: Any) -> Any:
        request = read_request(one.request, {name: input_data(value) for name, value in values.items()})
        return await request.read(info.context)

    arguments = [argument(name, field) for name, field in offered(one.request, NOT_IN_GRAPHQL, PYTHON_ONLY).items()]
    signature = inspect.signature(resolve)
    own = list(signature.parameters.values())[:2]
    resolve.__signature__ = signature.replace(parameters=[*own, *arguments])  # type: ignore[attr-defined]
    returned: Any = list[graphql_type(one.record)] | None  # type: ignore[misc]
    return strawberry.field(resolve, graphql_type=returned, description=one.about, metadata=one.operation.metadata)


EndpointQueries: Any = strawberry.type(
    type("EndpointQueries", (), {one.function: _field(one) for one in endpoints().values()})
)
"""Root fields of all simple reads."""
