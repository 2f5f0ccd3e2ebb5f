"""What the log says of real requests: which, how long, by whom; never what was asked, read or shown as a key."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.statement import Statement
from papergraph.telemetry.logs import logging_to
from tests.support.library import N_SAMPLES
from tests.support.waiting import free_port

FORGET_KEYS = Statement("test/forget", "MATCH (key:ApiKey) DELETE key")
EVERY_PROPERTY = Statement(
    "test/every_property",
    "MATCH (n) UNWIND keys(n) AS name WITH n[name] AS value WHERE valueType(value) STARTS WITH 'STRING' RETURN value",
)
SEARCH = "query($input: SearchInput!) { search(input: $input) { hits { chunk { text } } } }"
QUESTION = "How are superconducting qubits protected from xylophones?"
ANSWERED = "papergraph.server.middleware.requests"


@contextmanager
def logged(level: str = "info") -> Iterator[list[dict[str, Any]]]:
    """Give the lines of the log once the context is left."""
    stream, lines = io.StringIO(), list[dict[str, Any]]()
    with logging_to(stream, form="json", level=level):
        yield lines
    lines += [json.loads(line) for line in stream.getvalue().splitlines()]


def client_of(database: Database, embedder: Embedder, policy: ServerLimits) -> httpx.AsyncClient:
    application = create_app(Service(database, embedder), policy)
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


async def search(client: httpx.AsyncClient, **headers: str) -> httpx.Response:
    asked = {"query": QUESTION, "pipeline": "fast", "k": 5}
    return await client.post("/graphql", json={"query": SEARCH, "variables": {"input": asked}}, headers=headers)


async def test_a_request_has_one_line_which_tells_how_it_went(app):
    with logged() as lines:
        response = await search(app, **{"X-Request-ID": "mine"})

    (line,) = lines
    assert (line["logger"], line["level"], line["request_id"]) == (ANSWERED, "info", "mine")
    assert (line["method"], line["route"], line["status"]) == ("POST", "/graphql", 200)
    assert line["cost"] == response.json()["extensions"]["cost"]["requested"]
    assert line["ms"] > 0 and line["queries"] > 1


async def test_every_line_of_a_request_has_its_id(library, embedder, app):
    library.slow_query_ms = 0.000001  # all of them are
    try:
        with logged("debug") as lines:
            await search(app, **{"X-Request-ID": "first"})
            await search(app, **{"X-Request-ID": "second"})
    finally:
        library.slow_query_ms = 1000.0

    assert {line["request_id"] for line in lines} == {"first", "second"}
    of_first = [line["message"] for line in lines if line["request_id"] == "first"]
    assert of_first.count("slow query") >= 2 and of_first.count("answered") == 1


async def test_a_slow_query_is_told_by_its_file_and_the_sizes_of_its_parameters(library, app):
    library.slow_query_ms = 0.000001
    try:
        with logged() as lines:
            await search(app)
    finally:
        library.slow_query_ms = 1000.0

    (line,) = [line for line in lines if line.get("statement") == "retrieval/passages"]
    assert (line["level"], line["message"]) == ("warning", "slow query")
    assert line["parameters"] == {"chunk_ids": "list of 5"} and line["records"] == 5
    assert line["ms"] > 0


async def test_neither_questions_nor_documents_are_told(library, app):
    library.slow_query_ms = 0.000001
    try:
        with logged("debug") as lines:
            response = await search(app)
            await app.post("/graphql", json={"query": '{ search(input: {query: "' + QUESTION + '", k: 0}) { x } }'})
    finally:
        library.slow_query_ms = 1000.0

    told = json.dumps(lines)
    texts = [hit["chunk"]["text"] for hit in response.json()["data"]["search"]["hits"]]
    assert texts and not any(text[:30] in told for text in texts)
    assert "xylophones" not in told and "pipeline: fast" not in told


async def test_paths_that_are_none_are_told_as_other(app):
    with logged() as lines:
        await app.get("/a-path-of-mine?secret=yes")

    (line,) = lines
    assert (line["route"], line["status"]) == ("other", 404)
    assert "mine" not in json.dumps(line)


async def test_probes_are_told_at_debug_only(app):
    with logged() as lines:
        await app.get("/healthz")
        await app.get("/readyz")
    with logged("debug") as all_lines:
        await app.get("/healthz")

    assert not lines
    assert [line["route"] for line in all_lines if line["logger"] == ANSWERED] == ["/healthz"]


async def test_what_nobody_caught_is_told_without_what_it_quotes(app, monkeypatch):
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError(QUESTION)

    monkeypatch.setattr("papergraph.server.rest.monitoring.database_trouble", fail)
    with logged() as lines:
        response = await app.get("/readyz", headers={"X-Request-ID": "mine"})

    assert response.status_code == 500
    assert {line["request_id"] for line in lines} == {"mine"}
    assert {line.get("status") for line in lines} == {500, None}
    (error,) = [line["error"] for line in lines if "error" in line]
    assert error.startswith("RuntimeError at ") and "xylophones" not in json.dumps(lines)


async def test_a_key_is_told_by_its_id_and_stands_nowhere_whole(library, embedder):
    key, shown = await create_key(library, name="for the log", scopes=[KeyScope.READ])
    try:
        with logged("debug") as lines:
            async with client_of(library, embedder, ServerLimits(keys_required=True)) as client:
                assert (await search(client, Authorization=f"Bearer {shown}")).status_code == 200
                assert (await search(client, **{"X-API-Key": shown[:-1]})).status_code == 401
                logging.getLogger("papergraph.test").error("by mistake: %s", shown)
        stored = [record["value"] for record in await library.read(EVERY_PROPERTY)]
    finally:
        await library.run_alone(FORGET_KEYS)

    secret = shown.split("_", 2)[2]
    answered = [line for line in lines if line["logger"] == ANSWERED]
    assert [line.get("key_id") for line in answered] == [key.id, None]
    assert secret not in json.dumps(lines) and secret[:-1] not in json.dumps(lines)
    assert len(stored) > N_SAMPLES and not any(secret in value for value in stored)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_server_writes_its_log_to_standard_error_as_it_was_told(papergraph, form):
    port = str(free_port())
    with papergraph.started("serve", "--port", port, PAPERGRAPH_LOG_FORMAT=form) as serve:
        serve.wait_for("serving; Ctrl-C stops")
        httpx.get(f"http://127.0.0.1:{port}/", headers={"X-Request-ID": "by-hand"}, timeout=30)
        said = serve.wait_for("by-hand")

    (line,) = [line for line in said.splitlines() if "by-hand" in line]
    if form == "json":
        assert json.loads(line)["route"] == "/"
        steps = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        assert "papergraph.progress" in {step["logger"] for step in steps}
    else:
        assert "papergraph.server.middleware.requests  answered  request_id=by-hand method=GET route=/ " in line


@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_a_command_has_no_log_and_a_worker_has(papergraph):
    every_one = {"PAPERGRAPH_LOG_SLOW_QUERY_MS": "0.001"}

    command = papergraph("search", QUESTION, "--quiet", **every_one)
    worker = papergraph("worker", "--once", "--quiet", PAPERGRAPH_LOG_FORMAT="text", **every_one)

    assert (command.returncode, command.stderr) == (0, "No passage of the collection has “xylophones”.\n")
    assert worker.returncode == 0, worker.stderr
    assert " WARNING papergraph.telemetry.statements  slow query  statement=" in worker.stderr
