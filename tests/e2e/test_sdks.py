"""The clients against a real server: the calls of sdk/conformance.json, in Python, TypeScript and Java."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from papergraph.database import Database
from papergraph_client import AsyncPapergraph, Papergraph
from tests.support import node
from tests.support.conformance import FILE, Run, ready
from tests.support.sdk_builds import JavaClient
from tests.support.servers import RunningServer

TIMEOUT_S = 120.0
CASES = FILE.absolute()
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
TITLE = "Surface Codes and Their Logical Error Rates"


def test_the_python_client_searches(server: RunningServer, library: Database):
    with Papergraph(server.url, timeout=TIMEOUT_S) as client:
        hits = client.search(QUESTION, k=3)

    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert hits[0].paper.title == TITLE


@pytest.mark.slow
@pytest.mark.clients
async def test_the_typescript_client_searches(server: RunningServer, library: Database, typescript: Path):
    script = typescript / "search.mjs"
    script.write_text(
        'import { Papergraph } from "./dist/index.js";\n'
        f"const client = new Papergraph({{ url: {json.dumps(server.url)} }});\n"
        f"const found = await client.search({json.dumps(QUESTION)}, {{ k: 3 }});\n"
        "console.log(JSON.stringify(found.hits.map((hit) => [hit.rank, hit.paper.title])));\n"
    )

    hits = json.loads(await node.run("node", script))

    assert [rank for rank, _ in hits] == [1, 2, 3]
    assert hits[0][1] == TITLE


@pytest.mark.slow
@pytest.mark.clients
@pytest.mark.parametrize("kind", [Papergraph, AsyncPapergraph])
async def test_the_python_client_gives_the_expected_results(
    working_server: RunningServer, library: Database, kind: type[Papergraph] | type[AsyncPapergraph]
):
    client = kind(working_server.url, timeout=TIMEOUT_S)
    run = Run(client, uuid4().hex[:8])
    faults = {case["name"]: found for case in run.cases if (found := await run.case(case))}
    await ready(client.close())

    assert faults == {}
    assert len(run.cases) >= 60


@pytest.mark.slow
@pytest.mark.clients
async def test_the_typescript_client_gives_the_expected_results(
    working_server: RunningServer, library: Database, typescript: Path
):
    script = typescript / "test/conformance.mjs"
    output = await node.run("node", script, working_server.url, str(CASES), uuid4().hex[:8])

    assert json.loads(output) == {}


@pytest.mark.slow
@pytest.mark.clients
async def test_the_java_client_gives_the_expected_results(
    working_server: RunningServer, library: Database, java: JavaClient
):
    runner = "org.papergraph.client.Conformance"
    output = await node.run("java", "-cp", java.classpath, runner, working_server.url, str(CASES), uuid4().hex[:8])

    assert json.loads(output) == {}
