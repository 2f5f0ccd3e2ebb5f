"""What the clients in TypeScript and Java make of servers that fail, and all of a key that is revoked meanwhile.

``tests/unit/test_client_faults.py`` has the failing servers for Python.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.keys import create_key, revoke_key
from papergraph_client import AsyncPapergraph, UnauthenticatedError
from tests.support import node
from tests.support.fault_server import fault_server
from tests.support.files import write
from tests.support.ingestion import enqueue
from tests.support.sdk_builds import JavaClient
from tests.support.servers import served
from tests.support.waiting import free_port

pytestmark = [pytest.mark.slow, pytest.mark.clients]

LONGEST_FAULT_S = 12.0
FAULTS = Path("sdk/faults.json").absolute()


@pytest.mark.parametrize("bundled", [False, True])
async def test_the_typescript_client_raises_the_error_of_each_fault_in_time_and_sends_nothing_twice(
    typescript: Path, bundled: bool
):
    bundle = await bundle_for_browsers(typescript) if bundled else typescript / "dist/index.js"
    with fault_server() as url:
        gone = f"http://127.0.0.1:{free_port()}"
        command = ["env", f"PAPERGRAPH_CLIENT={bundle}", "node", typescript / "test/faults.mjs"]
        output = await node.run(*command, url, str(FAULTS), gone)

    assert faults_of(json.loads(output), "Error") == {}


async def bundle_for_browsers(typescript: Path) -> Path:
    """Return the client in one small file, as applications ship it: names of classes are lost there."""
    bundle = typescript / "dist/bundle.js"
    options = ["--bundle", "--minify", "--format=esm", "--platform=browser", f"--outfile={bundle}"]
    await node.run(typescript / "node_modules/.bin/esbuild", typescript / "dist/index.js", *options)
    assert "class NotFoundError" not in bundle.read_text()
    return bundle


async def test_the_java_client_raises_the_error_of_each_fault_in_time_and_sends_nothing_twice(java: JavaClient):
    with fault_server() as url:
        gone = f"http://127.0.0.1:{free_port()}"
        output = await node.run("java", "-cp", java.classpath, "org.papergraph.client.Faults", url, str(FAULTS), gone)

    assert faults_of(json.loads(output), "Exception") == {}


async def test_a_key_that_is_revoked_during_a_stream_ends_it_with_its_error(
    library: Database,
    embedder: Embedder,
    typescript: Path,
    java: JavaClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(KeyCache, "_find", lambda self, id, find: find(library, id))  # it believes what it read for 5 s
    source = write(tmp_path / "a.md", "# A\n\nText.\n")
    job = await enqueue(library, embedder, [source], collection="revoked")
    key, secret = await create_key(library, name="streams", scopes=[KeyScope.INGEST])
    opened = asyncio.Event()

    async def follow_in_python(url: str) -> str:
        async with AsyncPapergraph(url, secret) as client:
            try:
                async for _ in (await client.job(job.id)).follow():
                    opened.set()
            except UnauthenticatedError as error:
                return f"{error.code} {error.request_id}"
        return "no error"

    async with served(library, embedder, server_require_api_key=True) as url:
        programs = [
            await started("node", typescript / "test/follow.mjs", url, secret, job.id),
            await started("java", "-cp", java.classpath, "org.papergraph.client.Follow", url, secret, job.id),
        ]
        following = asyncio.create_task(follow_in_python(url))
        for program in programs:
            assert await program.stdout.readline() == b"queued\n"
        await opened.wait()
        await revoke_key(library, key.id)
        await jobs.cancel(library, job.id)
        told = [await following] + [(await one.communicate())[0].decode().strip() for one in programs]
    await jobs.forget(library, job.id)

    assert all(re.fullmatch("UNAUTHENTICATED [0-9a-f]{32}", one) for one in told), told


async def started(*command: str | Path) -> Any:
    """Start a program whose output is read meanwhile."""
    return await asyncio.create_subprocess_exec(*map(str, command), stdout=asyncio.subprocess.PIPE)


def faults_of(outcomes: list[dict[str, Any]], ending: str) -> dict[str, list[str]]:
    """Return what differs from sdk/faults.json in what a client reports."""
    found = {}
    for one in outcomes:
        case, error = one["case"], (one["error"] or "").removesuffix(ending)
        faults = [] if error == (case["error"] or "").removesuffix("Error") else [f"{one['error']}: {one['text']}"]
        if len(one["seen"]) != case["requests"]:
            faults.append(f"{len(one['seen'])} requests")
        if one.get("code") and (one["code"], one["requestId"]) != (case["code"], "r1"):
            faults.append(f"{one['code']} {one['requestId']}")
        if "retryAfter" in case and one["retryAfter"] != case["retryAfter"]:
            faults.append(f"Retry-After {one['retryAfter']}")
        if case["call"] == "openJob" and (len(set(one["seen"])) != 1 or not one["seen"][0]):
            faults.append(f"keys {one['seen']}")
        if one["seconds"] > LONGEST_FAULT_S:
            faults.append(f"{one['seconds']} s")
        if faults:
            found[f"{case['fault']} {case['call']}"] = faults
    return found
