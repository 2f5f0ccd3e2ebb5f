"""The way to Neo4j breaks off or falls silent at random points, time and again."""

import asyncio
import random
import time

import pytest

from papergraph.database import Database
from papergraph.errors import DatabaseError
from papergraph.ingest.graph import writer as write
from papergraph.server.operations.service import Service
from tests.support.faults import LONGEST_REQUEST_S, LONGEST_UNNOTICED_S, since
from tests.support.faulty_neo4j import SEARCH, client_of, is_ready
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest
from tests.support.tcp_proxy import Fault, Proxy

pytestmark = [pytest.mark.slow, pytest.mark.faults]

N_CUTS = 25
MOST_COMMANDS = 60
LONGEST_CALL_S = 2.0
"""Deadline of a call here, so that a round is short; what the usual one makes of silence, test_toxiproxy.py shows."""


async def test_a_connection_that_is_cut_time_and_again_loses_nothing(store, neo4j_server, papers, hashed, seed):
    choice = random.Random(seed)  # noqa: S311
    n_cuts = n_commands = 0
    async with Proxy(neo4j_server.uri) as proxy:

        async def cut_again() -> None:
            nonlocal n_cuts
            while n_cuts < N_CUTS:
                proxy.n_bytes, proxy.fault = choice.randint(0, 3000), Fault.CUT
                while proxy.fault is Fault.CUT:  # noqa: ASYNC110 nobody tells when it has happened
                    await asyncio.sleep(0.001)
                n_cuts += 1

        cutting = asyncio.create_task(cut_again())
        done = False
        while not done:
            n_commands += 1
            assert n_commands <= MOST_COMMANDS
            try:
                async with await Database.connect(
                    proxy.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
                ) as database:
                    done = not (await ingest(database, hashed, papers.shuffled(seed))).failed
            except DatabaseError:
                await assert_healthy(store)
        cutting.cancel()

    print(f"seed {seed}: {n_cuts} cuts, {n_commands} commands until all papers were in")
    assert n_cuts > 0


async def test_a_silent_database_is_soon_noticed_and_no_request_hangs(
    store, neo4j_server, papers, hashed, seed, monkeypatch
):
    silent_after_s = random.Random(seed).uniform(0.0, 0.5)  # noqa: S311
    async with (
        Proxy(neo4j_server.uri) as proxy,
        await Database.connect(
            proxy.uri,
            user=neo4j_server.user,
            password=neo4j_server.password,
            name=neo4j_server.database,
            deadline_s=LONGEST_CALL_S,
        ) as database,
        client_of(Service(database, hashed)) as client,
    ):
        await ingest(store, hashed, papers.paths[:1])
        assert await is_ready(client)
        monkeypatch.setattr(write, "BASE_DEADLINE_S", LONGEST_CALL_S)
        writing = asyncio.create_task(ingest(database, hashed, papers.paths))
        await asyncio.sleep(silent_after_s)
        proxy.fault = Fault.SILENCE
        start = time.monotonic()
        asked = [asyncio.create_task(client.post("/graphql", json=SEARCH)) for _ in range(20)]
        while await is_ready(client):
            assert since(start) < LONGEST_UNNOTICED_S
        noticed_s = since(start)
        answers = await asyncio.gather(*asked)
        answered_s = since(start)
        (outcome,) = await asyncio.gather(writing, return_exceptions=True)
        proxy.fault = Fault.NONE
        start = time.monotonic()
        while not await is_ready(client):
            assert since(start) < LONGEST_UNNOTICED_S
        ready_s = since(start)
        healthy = await client.post("/graphql", json=SEARCH)

    print(
        f"seed {seed}: silent after {silent_after_s:.2f} s of writing; not ready after {noticed_s:.1f} s, 20 questions "
        f"answered after {answered_s:.1f} s; ready {ready_s:.1f} s after the silence"
    )
    assert isinstance(outcome, DatabaseError)
    assert answered_s < LONGEST_REQUEST_S
    assert {answer.json()["errors"][0]["extensions"]["code"] for answer in answers} <= {"TIMEOUT", "UNAVAILABLE"}
    assert "errors" not in healthy.json()
    monkeypatch.undo()
    await ingest(store, hashed, papers.paths)
