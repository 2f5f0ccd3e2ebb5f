"""Clients that go away while they send: no fault of the server, in its log as in its metrics."""

import asyncio
import gc
import logging
from typing import Any

import pytest

from papergraph.server.middleware.requests import RequestMetrics
from papergraph.telemetry.metrics import REGISTRY
from tests.support.bare_app import OPEN, application
from tests.support.servers import routes

JSON, FORM = b"application/json", b"multipart/form-data; boundary=x"


def request(path: str, kind: bytes = JSON) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", kind),
            (b"accept", b"application/json, text/event-stream"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "scheme": "http",
        "root_path": "",
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
    }


async def leave(app: Any, scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Send half a body and go away; return what was answered."""
    coming = [{"type": "http.request", "body": b'{"a":', "more_body": True}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def counted(path: str, status: int) -> float:
    labels = {"method": "POST", "route": path, "status": str(status)}
    return REGISTRY.get_sample_value("papergraph_http_requests_total", labels) or 0.0


@pytest.mark.parametrize("path", ["/graphql", "/mcp", "/v1/search", "/v1/chat/completions"])
async def test_who_goes_away_while_sending_is_no_fault_of_the_server(caplog, path):
    before = counted(path, 499)
    gc.collect()  # a generator that another test left would be logged in the middle of this one
    await asyncio.sleep(0.01)
    caplog.clear()

    with caplog.at_level(logging.INFO):
        answered = await leave(application(OPEN), request(path))

    (line,) = [record for record in caplog.records if record.getMessage() == "answered"]
    assert (answered, line.status, counted(path, 499) - before) == ([], 499, 1.0)  # type: ignore[attr-defined]
    assert [record for record in caplog.records if record.exc_info or record.levelno > logging.INFO] == []


async def test_an_upload_that_stops_is_counted_alike_whatever_is_answered():
    async def refuse(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        await send({"type": "http.response.start", "status": 400, "headers": []})

    before = counted("/v1/uploads", 499)
    await leave(RequestMetrics(refuse, table=routes()), request("/v1/uploads", FORM))

    assert counted("/v1/uploads", 499) - before == 1.0
