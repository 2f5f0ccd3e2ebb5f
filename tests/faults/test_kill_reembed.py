"""A change of models that is killed is resumed by the same call, and ends as if nothing had happened."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.reembed import Pace, drop_old, reembed, status
from papergraph.schema.checksum import graph_checksum
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import ToyModel
from tests.support.faults import write_papers
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest
from tests.support.reembed_worker import DONE
from tests.support.reembedding import restore_first, store_without_models, without_models

pytestmark = pytest.mark.faults

FULL_SPEED = Pace(share=1.0)


@pytest_asyncio.fixture
async def store(neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    async with store_without_models(neo4j_server, embedder) as database:
        yield database


@pytest.mark.slow
async def test_a_change_of_models_that_is_killed_is_resumed(
    store: Database, neo4j_server: Neo4jServer, tmp_path: Path, seed: int
):
    choice = random.Random(seed)  # noqa: S311
    small, large = ToyModel("small", dimension=8), ToyModel("large", dimension=12)
    folder = write_papers(tmp_path / "papers", n_papers=30)
    await restore_first(store, large)
    await ingest(store, large, [folder])
    clean = await graph_checksum(store)
    await without_models(store)
    await restore_first(store, small)
    await ingest(store, small, [folder])

    await asyncio.to_thread(kill_after, neo4j_server, choice.randint(1, 6), choice.uniform(0, 0.1))
    await assert_healthy(store)
    left = await status(store)
    report = await reembed(store, large, pace=FULL_SPEED)

    assert report.n_made == (left.n_missing if left.other else left.n_vectors)
    assert (await graph_checksum(store)).same_graph(clean)
    await drop_old(store, pace=FULL_SPEED)
    assert (await graph_checksum(store)).same_graph(clean)
    await assert_healthy(store)


def kill_after(neo4j: Neo4jServer, n_lines: int, pause_s: float) -> None:
    """Start a change of models and kill it by -9 some time after it has told so many times how far it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.reembed_worker"],
        env={**os.environ, "WORKER_URI": neo4j.uri, "WORKER_PASSWORD": neo4j.password},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        for _ in range(n_lines):
            line = process.stdout.readline()
            assert line.startswith(DONE), line
        time.sleep(pause_s)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
