"""The papers that benchmarks/growth.py generates are papers, and it measures what it writes."""

import psutil
import pytest

from benchmarks.growth import measure, warm_up
from papergraph.statement import Statement

pytestmark = pytest.mark.slow

COUNTS = Statement(
    "counts",
    "MATCH (c:Chunk) RETURN count(c) AS chunks, count(c.embedding) AS vectors",
)


async def test_generated_papers_make_a_healthy_graph_and_every_chunk_is_counted(database):
    await warm_up(database, n_chunks=1)
    windows = await measure(database, psutil.Process(), n_chunks=1200, window=800)

    (counts,) = await database.read(COUNTS)
    assert counts["chunks"] == counts["vectors"] == windows[-1]["chunks"] >= 1200
    assert len(windows) == 2
    assert all(window["wall"] > 0 and window["processorOurs"] > 0 for window in windows)
