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

pytestmark = pytest.mark.slow

TIMEOUT_S = 120.0
CASES = FILE.absolute()


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


async def test_the_typescript_client_gives_the_expected_results(
    working_server: RunningServer, library: Database, typescript: Path
):
    script = typescript / "test/conformance.mjs"
    output = await node.run("node", script, working_server.url, str(CASES), uuid4().hex[:8])

    assert json.loads(output) == {}


async def test_the_java_client_gives_the_expected_results(
    working_server: RunningServer, library: Database, java: JavaClient
):
    runner = "org.papergraph.client.Conformance"
    output = await node.run("java", "-cp", java.classpath, runner, working_server.url, str(CASES), uuid4().hex[:8])

    assert json.loads(output) == {}
