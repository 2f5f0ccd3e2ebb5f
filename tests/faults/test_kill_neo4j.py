"""Neo4j is killed while papers are written and questions asked, and comes back with all that was acknowledged."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.server.operations.service import Service
from tests.support.faults import (
    LONGEST_REQUEST_S,
    LONGEST_UNNOTICED_S,
    empty,
    in_the_middle,
    ingest_rest,
    longest_recovery_s,
    since,
    worker,
)
from tests.support.faulty_neo4j import SEARCH, client_of, is_ready, started
from tests.support.store_template import begin_with

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def home(neo4j_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose Neo4j is started when somebody asks for it, and stopped at the end."""
    home = tmp_path_factory.mktemp("killed") / "home"
    begin_with(neo4j_store, home)
    yield home
    local_neo4j.stop(home)


def answered(response: httpx.Response) -> bool:
    """Say whether a question was answered, by hits or, where no paper is in yet, by the word that there are none."""
    errors = response.json().get("errors", [])
    return not errors or errors[0]["extensions"].get("field") == "collection"


@pytest.mark.slow
async def test_neo4j_comes_back_with_all_that_was_acknowledged(home, papers, hashed, seed):
    after_papers, later_s = in_the_middle(seed)
    neo4j = await started(home)
    async with await Database.connect(neo4j.uri, user=neo4j.user, password=neo4j.password) as database:
        await empty(database)
        async with client_of(Service(database, hashed)) as client:
            assert await is_ready(client)
            with worker(neo4j.uri, neo4j.password, papers.shuffled(seed), WORKER_GROUP="16") as writing:
                await asyncio.to_thread(writing.read_until, after_papers)
                await asyncio.sleep(later_s)
                os.kill(neo4j.pid, signal.SIGKILL)
                start = time.monotonic()
                asked = asyncio.create_task(client.post("/graphql", json=SEARCH))
                while await is_ready(client):
                    assert since(start) < LONGEST_UNNOTICED_S
                noticed_s = since(start)
                answer = await asked
                answered_s = since(start)
                status = await asyncio.to_thread(writing.end)
                told_s = since(start)

            start = time.monotonic()
            again = await started(home)
            while not await is_ready(client):
                assert since(start) < longest_recovery_s()
            ready_s = since(start)
            while not answered(await client.post("/graphql", json=SEARCH)):
                assert since(start) < longest_recovery_s()
            answers_s = since(start)

        print(
            f"seed {seed}: killed with {len(writing.acknowledged)} papers acknowledged; "
            f"not ready after {noticed_s:.1f} s, a question answered after {answered_s:.1f} s, "
            f"the worker told after {told_s:.1f} s; "
            f"ready {ready_s:.1f} s after the start, the next question answered after {answers_s:.1f} s"
        )
        assert status != 0
        assert answered_s < LONGEST_REQUEST_S
        assert answer.json()["errors"][0]["extensions"]["code"] in ("UNAVAILABLE", "TIMEOUT")
        assert again.uri == neo4j.uri
        await ingest_rest(database, neo4j.uri, neo4j.password, papers, writing.acknowledged)
