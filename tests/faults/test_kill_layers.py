"""Processes that make layers are killed; making them again leaves what an undisturbed one would."""

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from ingest.layers.layer import Means
from ingest.layers.run import enrich
from ingest.run import ingest
from papergraph.database import Database
from schema.digest import GraphDigest, graph_digest
from tests.conftest import assert_healthy
from tests.faults.conftest import WORKER_TIMEOUT_S, empty, write_papers
from tests.faults.layers_worker import CHOICE, STARTED
from tests.faults.worker import HashEmbedder
from tests.pytest_neo4j import Neo4jServer

N_PAPERS = 24
LONGEST_S = 4.0
"""Within so long after the start a worker is killed: making all layers of the papers takes about that."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_papers(tmp_path_factory.mktemp("kill-layers") / "papers", n_papers=N_PAPERS)


@pytest_asyncio.fixture(scope="module")
async def undisturbed(neo4j_server: Neo4jServer, folder: Path) -> GraphDigest:
    """The graph with all layers without any fault."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await empty(database)
        await ingest(database, HashEmbedder(), [folder])
        await enrich(database, CHOICE.layers(None), Means(HashEmbedder()), collection="main")
        digest = await graph_digest(database)
        await empty(database)
    return digest


@pytest_asyncio.fixture
async def store(empty_store: Database, folder: Path) -> AsyncIterator[Database]:
    """A store with papers and without layers."""
    await ingest(empty_store, HashEmbedder(), [folder])
    yield empty_store


def kill_in_the_middle(server: Neo4jServer, after_s: float) -> int | None:
    """Start a worker, kill it after some time, and return its status: None if it had not ended by then."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.layers_worker"],
        env={**os.environ, "WORKER_URI": server.uri, "WORKER_PASSWORD": server.password},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == STARTED
        return process.wait(after_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()
        process.wait(WORKER_TIMEOUT_S)
        assert process.stdout is not None
        process.stdout.close()


async def test_killed_while_it_makes_layers_and_made_again_is_as_if_nothing_had_been(
    undisturbed: GraphDigest, store: Database, neo4j_server: Neo4jServer, seed: int
):
    after_s = random.Random(seed).uniform(0.05, LONGEST_S)  # noqa: S311
    status = await asyncio.to_thread(kill_in_the_middle, neo4j_server, after_s)
    await assert_healthy(store)

    report = await enrich(store, CHOICE.layers(None), Means(HashEmbedder()), collection="main")

    ended = "killed" if status is None else "ended"
    print(f"seed {seed}: {ended} after {after_s:.2f} s; {report.n_due} papers were due")
    assert (report.stopped, report.failed) == (None, ())
    await assert_healthy(store)
    digest = await graph_digest(store)
    assert (digest.n_nodes, digest.n_relationships) == (undisturbed.n_nodes, undisturbed.n_relationships)
    assert digest.same_graph(undisturbed)
