"""Neo4j is killed while papers are written; started again, the same command leaves what an undisturbed one would."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import SentenceTransformerModel
from papergraph.settings import Settings
from schema.migrate import prepare
from server.retrieval.reading import count_papers
from tests.e2e.conftest import Papergraph
from tests.faults.conftest import (
    N_PAPERS,
    Papers,
    assert_same_graph,
    clean_papers,
    empty,
    in_the_middle,
    outcomes,
    write_papers,
)
from tests.faults.test_kill_ingest import until_written


@pytest_asyncio.fixture
async def papers(
    database: Database, embedder: SentenceTransformerModel, tmp_path_factory: pytest.TempPathFactory
) -> Papers:
    return await clean_papers(database, embedder, write_papers(tmp_path_factory.mktemp("kill") / "papers"))


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Papergraph]:
    """The command line with a local Neo4j of its own, which runs until it is stopped."""
    yield from local_papergraph(tmp_path_factory.mktemp("at") / "home")


@pytest.mark.timeout(900)
async def test_an_ingestion_goes_on_after_neo4j_was_killed(embedder, at_home, papers, seed):
    await kill_neo4j(embedder, at_home, papers, seed)


def local_papergraph(home: Path) -> Iterator[Papergraph]:
    """Give a command line over a new local Neo4j, and stop that at the end."""
    papergraph = Papergraph(home)
    started = papergraph("neo4j", "start", timeout_s=240)
    try:
        assert started.returncode == 0, started.stderr
        yield papergraph
    finally:
        papergraph("neo4j", "stop")
        assert not papergraph.neo4j_processes()


async def kill_neo4j(embedder: SentenceTransformerModel, papergraph: Papergraph, papers: Papers, seed: int) -> None:
    """Kill the database under one ingestion into an empty store, start it and run that again, compare the graph."""
    after_papers, later_s = in_the_middle(seed)
    (java,) = papergraph.neo4j_processes()
    async with opened(papergraph) as database:
        await prepare(database, embedder.card)
        await empty(database, embedder)
        with papergraph.started("ingest", papers.folder) as started:
            await until_written(database, after_papers)
            await asyncio.sleep(later_s)
            n_seen = await count_papers(database, collection="main")
            os.kill(java.pid, signal.SIGKILL)
            killed = time.monotonic()
            status = await asyncio.to_thread(started.process.wait, 120)
            told_after_s = time.monotonic() - killed
    said = started.output.read_text()
    assert status == 5, said
    assert "error: " in said
    assert "when Neo4j answers again, the same command goes on from there" in said
    assert "Traceback" not in said

    began = time.monotonic()
    restarted = await asyncio.to_thread(papergraph, "neo4j", "start", timeout_s=240)
    recovery_s = time.monotonic() - began
    assert restarted.returncode == 0, restarted.stderr
    async with opened(papergraph) as database:
        n_kept = await count_papers(database, collection="main")
        again = await asyncio.to_thread(papergraph, "ingest", papers.folder, "--json")

        assert again.returncode == 0, again.stderr
        counts = outcomes(json.loads(again.stdout)["items"])
        print(
            f"seed {seed}: Neo4j killed with {n_seen} of {N_PAPERS} papers written, told after {told_after_s:.1f} s; "
            f"recovered in {recovery_s:.1f} s with {n_kept} papers; then {counts}"
        )
        assert n_seen <= n_kept < N_PAPERS
        assert counts["unchanged"] >= n_kept
        await assert_same_graph(database, papers)


@asynccontextmanager
async def opened(papergraph: Papergraph) -> AsyncIterator[Database]:
    """Open the local Neo4j of a home, which runs."""
    running = await asyncio.to_thread(local_neo4j.start, Settings(home=papergraph.home))
    async with await Database.connect(running.uri, user=running.user, password=running.password) as database:
        yield database
