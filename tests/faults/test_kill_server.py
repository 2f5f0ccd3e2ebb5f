"""The server is killed while it answers and papers come in; started again, it answers as before."""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.pytest_neo4j import Neo4jServer
from tests.support.command import Papergraph, Started, settings_for
from tests.support.faults import LONGEST_REQUEST_S, longest_recovery_s, since, worker
from tests.support.waiting import free_port

pytestmark = pytest.mark.faults

SEARCH = {"query": '{ search(input: {query: "annealing steps", k: 3}) { hits { rank } } }'}
LONGEST_LIFE_S = 2.0


class Server:
    """A ``papergraph serve`` that is killed and started again on the same port."""

    def __init__(self, papergraph: Papergraph) -> None:
        self._papergraph = papergraph
        self._running = ExitStack()
        self._started: Started | None = None
        self._port = free_port()

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{self._port}", timeout=LONGEST_REQUEST_S)

    async def be_ready(self) -> float:
        """Start it unless it runs, and return the seconds until it is ready."""
        start = time.monotonic()
        if self._started is None:
            self._started = self._running.enter_context(self._papergraph.started("serve", "--port", str(self._port)))
        async with self.client() as client:
            while not await is_ready(client):
                assert since(start) < longest_recovery_s(), self._started.output.read_text()
                assert self._started.process.poll() is None, self._started.output.read_text()
                await asyncio.sleep(0.1)
        return since(start)

    def kill(self) -> None:
        assert self._started is not None
        self._started.process.kill()
        self.close()

    def close(self) -> None:
        self._running.close()
        self._started = None


@pytest.fixture(scope="module")
def server(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Papergraph(tmp_path_factory.mktemp("killed-server"), settings_for(neo4j_server)))
    yield server
    server.close()


async def is_ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
async def test_a_killed_server_is_soon_back_and_nothing_is_lost(store, neo4j_server, papers, server, seed):
    later_s = random.Random(seed).uniform(0, LONGEST_LIFE_S)  # noqa: S311
    await server.be_ready()
    n_answers = 0
    async with server.client() as client:
        with worker(neo4j_server.uri, neo4j_server.password, papers.shuffled(seed)) as writing:
            await asyncio.to_thread(writing.read_until, 1)
            start = time.monotonic()
            asyncio.get_running_loop().call_later(later_s, server.kill)
            with pytest.raises(httpx.TransportError):
                while since(start) < LONGEST_LIFE_S + LONGEST_REQUEST_S:
                    asked = time.monotonic()
                    answer = (await client.post("/graphql", json=SEARCH)).json()
                    assert "errors" not in answer, answer
                    n_answers += 1
            hung_s = since(asked)

            ready_s = await server.be_ready()
            assert await asyncio.to_thread(writing.end) == 0
        answer = (await client.post("/graphql", json=SEARCH)).json()

    print(f"seed {seed}: killed after {n_answers} answers, noticed after {hung_s:.2f} s; ready after {ready_s:.1f} s")
    assert hung_s < LONGEST_REQUEST_S
    assert len(writing.acknowledged) == len(papers.paths)
    assert len(answer["data"]["search"]["hits"]) == 3
