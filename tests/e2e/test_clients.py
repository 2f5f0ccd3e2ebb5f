"""Stock GraphQL clients with their default options, on a real socket."""

import json
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from tests.support.files import write
from tests.support.ingestion import enqueue
from tests.support.node import node_project, run

pytestmark = pytest.mark.slow

CLIENTS = {"@urql/core", "@apollo/client", "graphql-sse", "graphql-ws"}


async def test_stock_clients_query_change_follow_and_are_refused_without_a_warning(
    library: Database, embedder: Embedder, tmp_path: Path
):
    project = node_project(Path("tests/clients"), tmp_path)
    job = await enqueue(library, embedder, [write(tmp_path / "a.md", "# A\n\nText.\n")], collection="followed")
    await jobs.cancel(library, job.id)
    try:
        with listen("127.0.0.1", 0) as sock:
            async with serving(Service(library, embedder), sock):
                lines = (await run("node", project / "node.mjs", url_of(sock), job.id)).splitlines()
    finally:
        await jobs.forget(library, job.id)

    results = {(result := json.loads(line)).get("client"): result for line in lines}
    assert set(results) == CLIENTS, results
    for name, result in results.items():
        assert "main" in [one["name"] for one in result["query"]["collections"]], (name, result)
        assert result["mutation"] == {"cancelJob": {"__typename": "Job"}} | {}, (name, result)
        assert "nonsense" in result["refused"]["error"], (name, result)
        assert result["states"] == ["CANCELLED"], (name, result)
        assert result["warnings"] == [], (name, result)


async def test_named_persisted_queries_of_stock_clients_pass_by_both_methods(
    library: Database, embedder: Embedder, tmp_path: Path
):
    project = node_project(Path("tests/clients"), tmp_path)
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock):
            lines = (await run("node", project / "persisted.mjs", url_of(sock))).splitlines()

    results = [json.loads(line) for line in lines]
    assert [(one["client"], one["method"]) for one in results] == [
        (client, method) for client in ("@apollo/client", "@urql/core") for method in ("POST", "GET")
    ]
    for result in results:
        assert result.get("results", [0])[0] > 0, result
        assert result["results"][0] == result["results"][1], result
        assert result["sent"] == ["hash", "text", "hash"], result
