"""Deadline of requests: an answer that begins in time is sent whole, and a late one becomes a 504."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from papergraph.server.middleware.requests import RequestDeadline

SECONDS = 0.1
START: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": []}
BODY: dict[str, Any] = {"type": "http.response.body", "body": b"{}"}


async def at_once() -> None:
    """Let everything else run that waits."""
    await asyncio.sleep(0)


async def block() -> None:
    """Keep the event loop busy until the deadline is over, as a computation does."""
    time.sleep(2 * SECONDS)  # noqa: ASYNC251


async def wait() -> None:
    await asyncio.sleep(100 * SECONDS)


@pytest.mark.parametrize(("before", "status"), [(at_once, 200), (block, 200), (wait, 504)])
async def test_an_answer_is_sent_whole_or_not_at_all(before: Callable[[], Awaitable[None]], status: int):
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await before()
        await send(START)
        await at_once()
        await send(BODY)

    async def send(message: Any) -> None:
        await at_once()
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/openapi.json", "headers": [], "state": {}}
    await RequestDeadline(app, seconds_of=lambda method, path: SECONDS)(scope, wait, send)  # type: ignore[arg-type]

    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == status
