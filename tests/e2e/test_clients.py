"""Stock clients of GraphQL and of OpenAI's interface with their default options, on a real socket."""

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
from tests.support.python_environments import environment
from tests.support.servers import served

pytestmark = [pytest.mark.slow, pytest.mark.clients]

QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
OPENAI = Path("tests/clients/openai").absolute()
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


SUITES = {
    "openai": {"chat", "chat stream", "chat helper", "responses", "responses stream"},
    "ai": {"chat", "chat stream", "responses", "responses stream", "compatible", "compatible stream"},
    "langchain": {"chat", "chat stream", "responses", "responses stream"},
    "litellm": {"chat", "chat stream", "responses"},
    "gql": {"requests", "httpx", "websocket"},
}


@pytest.mark.parametrize("language", ["node", "python"])
async def test_stock_clients_of_openai_and_graphql_are_answered_every_way(
    library: Database, embedder: Embedder, tmp_path: Path, language: str
):
    if language == "node":
        command = ["node", node_project(OPENAI, tmp_path) / "run.mjs"]
    else:
        command = [environment(tmp_path, "-r", OPENAI / "requirements.txt"), OPENAI / "run.py"]
    async with served(library, embedder) as url:
        lines = (await run(*command, url, QUESTION)).splitlines()

    told = {(one := json.loads(line)).pop("name"): one for line in lines if line.startswith('{"name"')}
    names = {"node": ("openai", "ai"), "python": ("langchain", "litellm", "gql")}[language]
    wanted = {f"{name} {way}" for name in names for way in SUITES[name]}
    assert wanted == told.keys() - {"openai refusal"}
    for name in wanted:
        assert ("main" if name.startswith("gql") else "97") in told[name].get("text", ""), (name, told[name])
    if language == "node":
        assert told["openai refusal"]["error"].startswith("404 ")
        assert "no body" not in told["openai refusal"]["error"]
