"""A worker whose parser takes long or dies: it leaves when it is told to, and goes on with the next document."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from papergraph.database import Database
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import JobState
from papergraph.ingest.sources.uploads import place_of
from papergraph.ingest.sources.web import UPLOADS, Web
from papergraph.settings import Settings
from tests.pytest_neo4j import Neo4jServer
from tests.support.command import Papergraph, settings_for
from tests.support.crews import children
from tests.support.files import write
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import enqueue, paper
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.faults]

SLOW = b"\\begin{document}" + b"Words of $x_1$ and \\emph{more}.\n\n" * 300_000 + b"\\end{document}"
"""Keeps pandoc busy until its limits end it."""

START_S = 180.0
LEAVES_WITHIN_S = 20.0


def brought(home: Path, number: int, name: str, data: bytes) -> str:
    """Put a file where uploads lie, and return what jobs call it."""
    owner, file = "0" * 32, f"{number:032x}"
    write(place_of(home / UPLOADS, owner, file), data)
    return f"upload:{owner}{file}/{name}"


def slow_parsers_of(worker: int) -> list[psutil.Process]:
    """Return the parsers that are still there after 3 s: those of the slow document."""
    return [parser for parser in children(worker) if time.time() - parser.create_time() > 3.0]


async def queued(database: Database, hashed: HashEmbedder, home: Path) -> str:
    web = Web.opened(Settings(home=home))
    specs = [
        brought(home, 1, "slow.tex", SLOW),
        brought(home, 2, "next.md", paper("The next").encode()),
    ]
    return (await enqueue(database, hashed, specs, web=web)).id


async def test_a_worker_leaves_in_time_and_its_parser_with_it(
    empty_store: Database, neo4j_server: Neo4jServer, hashed: HashEmbedder, tmp_path: Path
):
    await queued(empty_store, hashed, tmp_path / "home")
    papergraph = Papergraph(tmp_path / "home", settings_for(neo4j_server))
    with papergraph.started("worker") as started:
        wait_until(lambda: children(started.process.pid) != [], timeout_s=START_S)
        parsers = children(started.process.pid)
        start = time.monotonic()
        status = started.send(signal.SIGTERM, timeout_s=60)
        left_s = time.monotonic() - start
    gone, alive = psutil.wait_procs(parsers, timeout=10)

    print(f"left {left_s:.1f} s after SIGTERM with status {status}")
    assert left_s < LEAVES_WITHIN_S
    assert status in (128 + signal.SIGTERM, -signal.SIGALRM)
    assert gone and not alive


async def test_a_worker_whose_parser_is_killed_goes_on_with_the_next_document(
    empty_store: Database, neo4j_server: Neo4jServer, hashed: HashEmbedder, tmp_path: Path
):
    job = await queued(empty_store, hashed, tmp_path / "home")
    papergraph = Papergraph(tmp_path / "home", settings_for(neo4j_server))
    with papergraph.started("worker", "--once") as started:
        wait_until(lambda: slow_parsers_of(started.process.pid) != [], timeout_s=START_S)
        os.kill(slow_parsers_of(started.process.pid)[0].pid, signal.SIGKILL)
        status = started.process.wait(START_S)
    found = await jobs.find_job(empty_store, job)
    titles = await empty_store.driver.execute_query(
        "MATCH (paper:Paper) RETURN collect(paper.title) AS titles", database_=empty_store.name
    )

    assert status in (0, 4), started.output.read_text()
    assert found.state is JobState.DONE
    assert titles.records[0]["titles"] == ["The next"]
