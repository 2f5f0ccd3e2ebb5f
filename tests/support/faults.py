"""What tests of faults share: papers, the graph that they should become, and a worker to kill."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from papergraph.database import Database
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.migrate import prepare
from papergraph.statement import Statement
from tests.pytest_neo4j import wipe
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import ACKNOWLEDGED, CARD
from tests.support.library import KEEP

N_PAPERS = 80


SEEDS = range(int(os.environ.get("PAPERGRAPH_TEST_SEEDS", "1")))


WORKER_TIMEOUT_S = 120.0


LONGEST_REQUEST_S = 20.0


LONGEST_UNNOTICED_S = 15.0


AUTHORS = ("Ada Lind", "Ben Okoro", "Chen Wei", "Dora Maar", "Émile Roux", "Fay Hart", "Gus Blom")


TOPICS = ("error correction", "graph search", "dense retrieval", "annealing", "citation maps", "noise")


SOURCES = Statement("test/sources", "MATCH (paper:Paper) UNWIND paper.sources AS source RETURN source")


@dataclass(frozen=True)
class Papers:
    """Papers, and the graph that one undisturbed ingestion makes of them."""

    paths: tuple[Path, ...]
    checksum: GraphChecksum

    def shuffled(self, seed: int) -> list[Path]:
        """Return the papers in an order that depends on the seed."""
        return random.Random(seed).sample(self.paths, len(self.paths))  # noqa: S311


class Worker:
    """A process that ingests papers, with what it has acknowledged until now."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.acknowledged: list[str] = []

    def read_until(self, n_papers: int) -> None:
        """Return when so many papers are acknowledged."""
        assert self.process.stdout is not None
        while len(self.acknowledged) < n_papers:
            line = self.process.stdout.readline()
            assert line, f"the worker ended after {len(self.acknowledged)} papers"
            self._take(line)

    def end(self) -> int:
        """Return the exit status once the process has ended, having read what it said."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._take(line)
        return self.process.wait(WORKER_TIMEOUT_S)

    def _take(self, line: str) -> None:
        if line.startswith(ACKNOWLEDGED):
            self.acknowledged.append(line.removeprefix(ACKNOWLEDGED).strip())


@contextmanager
def worker(uri: str, password: str, paths: Sequence[Path], **environment: str) -> Iterator[Worker]:
    """Start a worker on a Neo4j; it is gone afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.ingest_worker", *map(str, paths)],
        env={**os.environ, "WORKER_URI": uri, "WORKER_PASSWORD": password, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Worker(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def write_papers(folder: Path, *, n_papers: int = N_PAPERS, seed: int = 0) -> Path:
    """Write papers of two sections each, some of them by the same authors."""
    choice = random.Random(seed)  # noqa: S311
    folder.mkdir(parents=True)
    for number in range(n_papers):
        authors, topic = choice.sample(AUTHORS, k=choice.randint(1, 3)), choice.choice(TOPICS)
        (folder / f"{number:03}.md").write_text(
            f"---\nauthors: [{', '.join(authors)}]\nyear: {choice.randint(1990, 2026)}\n---\n"
            f"# Paper {number} on {topic}\n\n## Method\n\nStudy {number} looks at {topic} in {number + 3} steps.\n\n"
            f"## Results\n\nOf {100 + number} runs on {topic}, {choice.randint(1, 99)} percent agreed.\n"
        )
    return folder


async def empty(database: Database) -> None:
    """Delete all papers and make the store ready for new ones."""
    await wipe(database.driver, database=database.name, keep=KEEP)
    await prepare(database, CARD)


async def ingest_rest(database: Database, uri: str, password: str, papers: Papers, acknowledged: Sequence[str]) -> None:
    """Assert that nothing acknowledged was lost and nothing is broken, ingest all papers again, compare the graph."""
    kept = {record["source"] for record in await database.read(SOURCES)}
    assert set(acknowledged) <= kept
    await assert_healthy(database)
    with worker(uri, password, papers.paths) as again:
        assert await asyncio.to_thread(again.end) == 0
    await assert_same_graph(database, papers)


async def assert_same_graph(database: Database, papers: Papers) -> None:
    """Assert that a store is healthy and holds what an undisturbed ingestion of the papers makes."""
    await assert_healthy(database)
    checksum = await graph_checksum(database)
    assert (checksum.n_nodes, checksum.n_relationships) == (papers.checksum.n_nodes, papers.checksum.n_relationships)
    assert checksum.same_graph(papers.checksum)


def in_the_middle(seed: int, *, n_papers: int = N_PAPERS) -> tuple[int, float]:
    """Return after how many papers, and how many seconds later, the fault comes."""
    choice = random.Random(seed)  # noqa: S311
    return choice.randint(0, n_papers * 3 // 4), choice.uniform(0, 0.2)


def longest_recovery_s() -> float:
    """Return how long a server may take until it is ready again: 45 s, more where more waits than there are processors.

    How long it took is printed, and told in docs/integrity.md.
    """
    return 45.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def since(start: float) -> float:
    """Return the seconds since a time of ``time.monotonic``."""
    return time.monotonic() - start
