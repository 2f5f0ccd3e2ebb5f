"""``papergraph ingest`` is killed while it writes; the same command again leaves what an undisturbed one would."""

import asyncio
import json
import signal
import time

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import SentenceTransformerModel
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

WRITING_TIMEOUT_S = 180


@pytest_asyncio.fixture
async def papers(
    database: Database, embedder: SentenceTransformerModel, tmp_path_factory: pytest.TempPathFactory
) -> Papers:
    return await clean_papers(database, embedder, write_papers(tmp_path_factory.mktemp("kill") / "papers"))


@pytest.mark.timeout(600)
async def test_a_killed_ingestion_is_resumed_by_the_same_command(database, embedder, papergraph, papers, seed):
    await kill_ingest(database, embedder, papergraph, papers, seed)


async def kill_ingest(
    database: Database, embedder: SentenceTransformerModel, papergraph: Papergraph, papers: Papers, seed: int
) -> None:
    """Kill one ingestion into an empty store in the middle, run it again, and compare the graph with a clean one."""
    await empty(database, embedder)
    after_papers, later_s = in_the_middle(seed)
    with papergraph.started("ingest", papers.folder) as started:
        await until_written(database, after_papers)
        await asyncio.sleep(later_s)
        started.send(signal.SIGKILL, timeout_s=10)
    n_written = await count_papers(database, collection="main")
    assert after_papers <= n_written < N_PAPERS

    again = await asyncio.to_thread(papergraph, "ingest", papers.folder, "--json")

    assert again.returncode == 0, again.stderr
    counts = outcomes(json.loads(again.stdout)["items"])
    print(f"seed {seed}: killed after {n_written} of {N_PAPERS} papers; then {counts}")
    assert counts["unchanged"] >= n_written
    assert counts["unchanged"] + counts.get("added", 0) == N_PAPERS
    await assert_same_graph(database, papers)


async def until_written(database: Database, n_papers: int) -> None:
    """Return when at least so many papers stand in the graph."""
    deadline = time.monotonic() + WRITING_TIMEOUT_S
    while await count_papers(database, collection="main") < n_papers:
        assert time.monotonic() < deadline, f"{n_papers} papers were not written within {WRITING_TIMEOUT_S} s"
        await asyncio.sleep(0.005)
