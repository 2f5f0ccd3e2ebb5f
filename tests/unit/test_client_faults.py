"""What the Python client makes of servers that fail: the typed error, in time, and nothing sent twice."""

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import papergraph_client
from papergraph_client import ApiError, AsyncPapergraph, Papergraph, PapergraphError
from tests.support.conformance import collected, ready
from tests.support.fault_server import fault_server
from tests.support.waiting import free_port

FAULTS = json.loads(Path("sdk/faults.json").read_text())
CASES = FAULTS["cases"]
AT_ONCE = 6
LONGEST_S = 20.0
"""Three tries of one second, their pauses, and a busy machine."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with fault_server() as url:
        yield url


async def made(client: Any, call: str) -> object:
    """Make the call of a case."""
    match call:
        case "askStream":
            return await collected(client.ask_stream("x"))
        case "upload":
            return await ready(client.upload("a.md", b"# A\n"))
        case "openJob":
            return await ready(client.ingest("arxiv:2401.01234"))
    return await ready(getattr(client, call)("x"))


async def differences(server: str, case: dict[str, Any], kind: Any) -> list[str]:
    """Make the call of a case; return what differs from what is expected."""
    fault = f"{case['fault']}~{case['call']}-{kind.__name__}"
    base = f"http://127.0.0.1:{free_port()}" if case["fault"] == "gone" else f"{server}/{fault}"
    client = kind(base, "pg_x", timeout=FAULTS["timeoutSeconds"], max_retries=FAULTS["maxRetries"])
    began = time.monotonic()
    error: PapergraphError | None = None
    try:
        await made(client, case["call"])
    except PapergraphError as raised:
        error = raised
    took = time.monotonic() - began
    await ready(client.close())
    seen = (await asyncio.to_thread(httpx.get, f"{server}/seen/{fault}", timeout=30)).json()
    found = {"error": type(error).__name__ if error else None, "requests": len(seen)}
    if isinstance(error, ApiError):
        found |= {"code": error.code, "retryAfter": error.retry_after, "request_id": error.request_id}
    wanted = {"request_id": "r1", **case}
    faults = [f"{name} {value!r}" for name, value in found.items() if name in wanted and value != wanted[name]]
    if case["call"] == "openJob" and (len(set(seen)) != 1 or not seen[0]):
        faults.append(f"keys {seen}")
    return faults + ([f"took {took:.1f} s"] if took > LONGEST_S else [])


@pytest.mark.slow
def test_the_synchronous_client_raises_the_error_of_each_fault_in_time_and_sends_nothing_twice(server: str):
    with ThreadPoolExecutor(AT_ONCE) as threads:
        found = list(threads.map(lambda case: asyncio.run(differences(server, case, Papergraph)), CASES))

    assert {str(case): faults for case, faults in zip(CASES, found, strict=True) if faults} == {}


@pytest.mark.slow
async def test_the_asynchronous_client_does_the_same(server: str):
    turn = asyncio.Semaphore(AT_ONCE)

    async def in_turn(case: dict[str, Any]) -> list[str]:
        async with turn:
            return await differences(server, case, AsyncPapergraph)

    found = await asyncio.gather(*map(in_turn, CASES))

    assert {str(case): faults for case, faults in zip(CASES, found, strict=True) if faults} == {}


def test_each_code_of_the_server_has_a_class():
    from papergraph.errors import Code

    assert set(papergraph_client.errors.BY_CODE) == {code.value for code in Code}


async def test_a_cancelled_task_ends_its_request_at_once_and_the_client_works_on(server: str):
    async with AsyncPapergraph(f"{server}/silent~cancelled", "pg_x", timeout=30, max_retries=2) as client:
        asking = asyncio.create_task(client.search("x"))
        await asyncio.sleep(0.3)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        seen = (await asyncio.to_thread(httpx.get, f"{server}/seen/silent~cancelled", timeout=30)).json()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await collected(client.ask_stream("x"))

        again = client.with_options(timeout=0.5, max_retries=0)
        with pytest.raises(papergraph_client.NoAnswerInTimeError):
            await again.search("x")
    assert len(seen) == 1


def test_threads_share_a_client(server: str):
    with Papergraph(f"{server}/busy-once~threads", "pg_x") as client, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: client.search(f"query {n}").pipeline, range(40)))

    assert found == ["default"] * 40
