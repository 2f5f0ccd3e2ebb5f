"""GraphQL without a server: operations that run in this process."""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

from cli.client import data_of
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import Address
from server.auth.server_limits import ServerLimits
from server.auth.usage_budget import UsageBudget
from server.context import CostLimits
from server.graphql.context import Context
from server.graphql.options import Rules
from server.graphql.schema import schema
from server.startup import equipping, open_service


async def execute(
    settings: Settings, address: Address, operation: str, variables: Mapping[str, Any], *, progress: Progress
) -> dict[str, Any]:
    """Run a GraphQL operation in this process and return its data."""
    async with open_service(settings, address, progress=progress) as service:
        async with equipping(service, settings) as equipped:
            context = Context(equipped, Rules())
            result = await schema.execute(operation, variable_values=dict(variables), context_value=context)
        return data_of(result.data, [error.formatted for error in result.errors or []])


async def follow(
    settings: Settings,
    address: Address,
    operation: str,
    variables: Mapping[str, Any],
    *,
    take: Callable[[dict[str, Any]], None],
    progress: Progress,
) -> None:
    """Follow a GraphQL subscription in this process; ``take`` is given the data of each event."""
    opening = open_service(settings, address, progress=progress)
    async with opening as service, equipping(service, settings) as equipped:
        limits = CostLimits(spending=UsageBudget(service.database, ServerLimits.of(settings)))
        context = Context(equipped, Rules(), limits=limits)
        results = await schema.subscribe(operation, variable_values=dict(variables), context_value=context)
        async with aclosing(results) as events:
            async for result in events:
                take(data_of(result.data, [error.formatted for error in result.errors or []]))
