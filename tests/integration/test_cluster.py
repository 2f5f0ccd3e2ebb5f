"""A Dask cluster as the crew: the graph is that of one process, and a worker that dies costs nothing."""

import os
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from distributed import LocalCluster

from papergraph.database import Database
from papergraph.errors import UnavailableError
from papergraph.ingest.ingestor import Item
from papergraph.ingest.pipeline.dask_executor import DaskExecutor
from papergraph.schema.checksum import graph_checksum
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import clean, ingest, many


@pytest_asyncio.fixture(scope="module")
async def cluster() -> AsyncIterator[LocalCluster]:
    """Two Dask workers on this machine."""
    async with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0", asynchronous=True
    ) as cluster:
        yield cluster


@pytest.mark.slow
async def test_a_cluster_makes_the_graph_of_one_process_even_when_a_worker_dies(
    database: Database, cluster: LocalCluster, tmp_path: Path
):
    embedder = HashEmbedder()
    many(tmp_path, 40, shared_doi=(3, 31))
    write(tmp_path / "bad.md", "a\0b")
    expected = await clean(database, embedder, [tmp_path])
    crew = await DaskExecutor.connect(cluster.scheduler_address)
    killed: list[int] = []

    def kill_one(items: Sequence[Item]) -> None:
        if items and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    try:
        report = await ingest(database, embedder, [tmp_path], crew=crew, hear=kill_one)
    finally:
        await crew.close()

    assert len(killed) == 1
    assert [item.reason for item in report.failed] == ["NOT_TEXT"]
    assert (await graph_checksum(database)).same_graph(expected)
    assert report.done.n_texts_embedded > 0
    await assert_healthy(database)


async def test_a_scheduler_that_is_not_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("papergraph.ingest.pipeline.dask_executor.CONNECT_S", 0.5)
    with pytest.raises(UnavailableError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        await DaskExecutor.connect("tcp://127.0.0.1:1")
