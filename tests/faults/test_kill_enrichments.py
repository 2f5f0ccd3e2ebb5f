"""Processes that make enrichments are killed; making them again leaves what an undisturbed one would."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.enrich_worker import CHOICE
from tests.support.faults import WORKER_TIMEOUT_S, empty, write_papers
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.faults

N_PAPERS = 10
HAVE_ENRICHMENTS = Statement(
    "test/have_enrichments", "MATCH (paper:Paper) WHERE paper.enrichments IS NOT NULL RETURN count(*) AS n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_papers(tmp_path_factory.mktemp("kill-enrichments") / "papers", n_papers=N_PAPERS)


@pytest_asyncio.fixture(scope="module")
async def undisturbed(neo4j_server: Neo4jServer, folder: Path) -> GraphChecksum:
    """The graph with all enrichments without any fault."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await empty(database)
        await ingest(database, HashEmbedder(), [folder])
        await enrich(database, CHOICE.enrichments(None), EnrichmentContext(HashEmbedder()), collection="main")
        checksum = await graph_checksum(database)
        await empty(database)
    return checksum


@pytest_asyncio.fixture
async def store(empty_store: Database, folder: Path) -> AsyncIterator[Database]:
    """A store with papers and without enrichments."""
    await ingest(empty_store, HashEmbedder(), [folder])
    yield empty_store


async def kill_after(store: Database, server: Neo4jServer, *, n_papers: int, later_s: float) -> None:
    """Start a worker, and kill it a moment after so many papers have enrichments, or after it has ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.enrich_worker",
        env={**os.environ, "WORKER_URI": server.uri, "WORKER_PASSWORD": server.password},
    )
    try:
        async with asyncio.timeout(WORKER_TIMEOUT_S):
            while (await store.read(HAVE_ENRICHMENTS))[0]["n"] < n_papers and process.returncode is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await asyncio.sleep(later_s)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.slow
async def test_killed_while_it_makes_enrichments_and_made_again_is_as_if_nothing_had_been(
    undisturbed: GraphChecksum, store: Database, neo4j_server: Neo4jServer, seed: int
):
    choice = random.Random(seed)  # noqa: S311
    n_papers, later_s = choice.randint(1, N_PAPERS), choice.uniform(0, 0.5)
    await kill_after(store, neo4j_server, n_papers=n_papers, later_s=later_s)
    await assert_healthy(store)

    report = await enrich(store, CHOICE.enrichments(None), EnrichmentContext(HashEmbedder()), collection="main")

    print(f"seed {seed}: killed {later_s:.2f} s after {n_papers} papers had enrichments; {report.n_due} were due then")
    assert report.n_due <= N_PAPERS - n_papers
    assert (report.stopped, report.failed) == (None, ())
    await assert_healthy(store)
    checksum = await graph_checksum(store)
    assert (checksum.n_nodes, checksum.n_relationships) == (undisturbed.n_nodes, undisturbed.n_relationships)
    assert checksum.same_graph(undisturbed)
