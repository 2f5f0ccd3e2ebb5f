"""REST without a server: searches and answers of this process, in the form in which a server would send them."""

import json
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

from pydantic import BaseModel

from papergraph.progress import Progress
from papergraph.records import Record, to_json
from papergraph.requests import read_request
from papergraph.server.answers.draft import DraftRequest
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.endpoints import endpoints
from papergraph.server.operations.ask import draft_for, events_for
from papergraph.server.operations.context import CostLimits, RequestContext
from papergraph.server.rest.ask import AskBody, named_event
from papergraph.server.rest.endpoints import answer as read_answer
from papergraph.server.rest.search import SearchBody, search_answer
from papergraph.server.startup import equipping, open_service
from papergraph.settings import Settings
from papergraph.store import Address


async def answer(
    settings: Settings,
    address: Address,
    path: str,
    body: Mapping[str, Any],
    *,
    take: Callable[[str, dict[str, Any]], None],
    progress: Progress,
) -> dict[str, Any]:
    """Return what a server would answer; ``take`` hears the events of a stream.

    Raises:
        PapergraphError: What a server would answer as a problem.
    """
    opening = open_service(settings, address, progress=progress)
    async with opening as service, equipping(service, settings) as equipped:
        limits = CostLimits(spending=UsageBudget(service.database, ServerLimits.of(settings)))
        context = RequestContext(equipped, limits=limits)
        if path == "/search":
            return _json(await search_answer(context, read_request(SearchBody, body)))
        if path == "/drafts":
            wanted = read_request(DraftRequest, body)
            return _json(await draft_for(context.principal, equipped.resources, limits.spending, wanted))
        if path != "/ask":
            (endpoint,) = (one for one in endpoints().values() if one.route == path)
            return _json(await read_answer(context, read_request(endpoint.request, body)))
        data: dict[str, Any] = {}
        asking = read_request(AskBody, body)
        events = events_for(context.principal, equipped.resources, limits.spending, asking, equipped.pipelines)
        async with aclosing(events):
            async for event in events:
                name, shown = await named_event(context, event)
                data = _json(shown)
                take(name, data)
        return data


def _json(answered: BaseModel | Record) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(to_json(answered))
    return shown
