"""What the clients in TypeScript and Java make of servers that fail; tests/unit/test_client_faults.py has Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import node
from tests.support.fault_server import fault_server
from tests.support.sdk_builds import java_client, typescript_client
from tests.support.waiting import free_port

LONGEST_FAULT_S = 12.0
FAULTS = Path("sdk/faults.json").absolute()


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return typescript_client(tmp_path_factory.mktemp("typescript"))


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> str:
    return java_client(tmp_path_factory.mktemp("java"))


async def test_the_typescript_client_raises_the_error_of_each_fault_in_time_and_sends_nothing_twice(typescript: Path):
    with fault_server() as url:
        gone = f"http://127.0.0.1:{free_port()}"
        output = await node.run("node", typescript / "test/faults.mjs", url, str(FAULTS), gone)

    assert faults_of(json.loads(output), "Error") == {}


async def test_the_java_client_raises_the_error_of_each_fault_in_time_and_sends_nothing_twice(java: str):
    with fault_server() as url:
        gone = f"http://127.0.0.1:{free_port()}"
        output = await node.run("java", "-cp", java, "org.papergraph.client.Faults", url, str(FAULTS), gone)

    assert faults_of(json.loads(output), "Exception") == {}


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
