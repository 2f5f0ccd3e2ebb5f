"""Toxiproxy stands between papergraph and Neo4j, and spoils the connection in each of its ways."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.errors import DatabaseError
from papergraph.ingest.graph import writer as write
from papergraph.server.operations.service import Service
from papergraph.settings import Settings
from tests.pytest_neo4j import Neo4jServer
from tests.support.faults import LONGEST_REQUEST_S, LONGEST_UNNOTICED_S, since
from tests.support.faulty_neo4j import SEARCH, client_of, is_ready
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest
from tests.support.toxiproxy import Toxiproxy, build, toxiproxy

pytestmark = pytest.mark.by_hand
MOST_COMMANDS = 40


@dataclass(frozen=True)
class Toxic:
    """A way to spoil a connection; one that only slows it down leaves the database usable."""

    type: str
    stream: str = "downstream"
    attributes: dict[str, int] = field(default_factory=dict)
    stops: bool = True


TOXICS = {
    "a black hole": Toxic("timeout", attributes={"timeout": 0}),
    "a black hole for questions": Toxic("timeout", "upstream", {"timeout": 0}),
    "reset connections": Toxic("reset_peer", attributes={"timeout": 0}),
    "replies cut off": Toxic("limit_data", attributes={"bytes": 100}),
    "200 ms more": Toxic("latency", attributes={"latency": 200, "jitter": 50}, stops=False),
    "20 KB/s": Toxic("bandwidth", "upstream", {"rate": 20}, stops=False),
}


@pytest.fixture(scope="module")
def program() -> Path:
    return build(Settings().cache.expanduser())


@pytest.fixture
def proxy(program: Path, neo4j_server: Neo4jServer) -> Iterator[Toxiproxy]:
    with toxiproxy(program, neo4j_server.uri) as proxy:
        yield proxy


@pytest_asyncio.fixture
async def far(proxy: Toxiproxy, neo4j_server: Neo4jServer) -> AsyncIterator[Database]:
    """The store, reached through ``proxy``."""
    async with await Database.connect(
        proxy.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        yield database
        proxy.set_enabled(False)  # else closing waits for a goodbye that never comes


@pytest.mark.parametrize("name", TOXICS)
async def test_what_stops_the_database_is_noticed_and_no_request_hangs(store, proxy, far, papers, hashed, name):
    toxic = TOXICS[name]
    await ingest(store, hashed, papers.paths)
    async with client_of(Service(far, hashed)) as client:
        assert await is_ready(client)
        proxy.add(toxic.type, stream=toxic.stream, **toxic.attributes)
        start = time.monotonic()
        asked = [asyncio.create_task(client.post("/graphql", json=SEARCH)) for _ in range(20)]
        ready = await is_ready(client)
        noticed_s = since(start)
        answers = await asyncio.gather(*asked)
        answered_s = since(start)
        proxy.remove(toxic.type)
        start = time.monotonic()
        while not await is_ready(client):
            assert since(start) < LONGEST_UNNOTICED_S
        ready_s = since(start)
        afterwards = await asyncio.gather(*(client.post("/graphql", json=SEARCH) for _ in range(20)))

    codes = {code_of(answer) for answer in answers}
    print(
        f"{name}: {'ready' if ready else 'not ready'} after {noticed_s:.1f} s, 20 questions answered after "
        f"{answered_s:.1f} s with {', '.join(sorted(codes))}; ready {ready_s:.1f} s after it was over"
    )
    assert ready is not toxic.stops
    assert noticed_s < LONGEST_UNNOTICED_S
    assert answered_s < LONGEST_REQUEST_S
    assert codes <= ({"TIMEOUT", "UNAVAILABLE"} if toxic.stops else {"none"})
    assert {code_of(answer) for answer in afterwards} == {"none"}


def code_of(answer: httpx.Response) -> str:
    errors = answer.json().get("errors")
    return errors[0]["extensions"]["code"] if errors else "none"


async def test_an_ingestion_through_a_way_that_breaks_time_and_again_loses_nothing(
    store, proxy, neo4j_server, papers, hashed, seed, monkeypatch
):
    monkeypatch.setattr(write, "BASE_DEADLINE_S", 5.0)
    choice = random.Random(seed)  # noqa: S311
    toxics = [toxic for toxic in TOXICS.values() if toxic.stops]
    n_faults = 0

    async def spoil() -> None:
        nonlocal n_faults
        while True:
            await asyncio.sleep(choice.uniform(0.05, 0.5))
            toxic = choice.choice(toxics)
            proxy.add(toxic.type, stream=toxic.stream, **toxic.attributes)
            n_faults += 1
            await asyncio.sleep(choice.uniform(0.01, 0.3))
            proxy.remove(toxic.type)

    spoiling = asyncio.create_task(spoil())
    n_commands, done = 0, False
    while not done:
        n_commands += 1
        assert n_commands <= MOST_COMMANDS
        try:
            async with await Database.connect(
                proxy.uri,
                user=neo4j_server.user,
                password=neo4j_server.password,
                name=neo4j_server.database,
                deadline_s=3.0,
            ) as far:
                done = not (await ingest(far, hashed, papers.shuffled(seed))).failed
        except DatabaseError:
            await assert_healthy(store)
    spoiling.cancel()
    print(f"seed {seed}: {n_faults} faults, {n_commands} commands until all papers were in")
