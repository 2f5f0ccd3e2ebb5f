"""What tests of faults share: seeds, papers to ingest, and the graph that they should become."""

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest.run import ingest
from papergraph.database import Database
from papergraph.embedding import SentenceTransformerModel
from schema.digest import GraphDigest, graph_digest
from schema.migrate import prepare
from tests.e2e.conftest import KEEP, dead_end, papergraph
from tests.pytest_neo4j import wipe

__all__ = ["dead_end", "papergraph"]

N_PAPERS = 200
SEEDS = range(int(os.environ.get("PAPERGRAPH_TEST_SEEDS", "3")))
AUTHORS = ("Ada Lind", "Ben Okoro", "Chen Wei", "Dora Maar", "Émile Roux", "Fay Hart", "Gus Blom")
TOPICS = ("error correction", "graph search", "dense retrieval", "annealing", "citation maps", "noise")


@dataclass(frozen=True)
class Papers:
    """A folder of papers, and the graph that one undisturbed ingestion makes of them."""

    folder: Path
    digest: GraphDigest


@pytest.fixture(params=SEEDS, ids="seed {}".format)
def seed(request: pytest.FixtureRequest) -> int:
    """The number that decides when the fault comes."""
    return int(request.param)


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


async def clean_papers(database: Database, embedder: SentenceTransformerModel, folder: Path) -> Papers:
    """Ingest a folder into an empty store without any fault; return it with the digest, the store empty again."""
    await empty(database, embedder)
    report = await ingest(database, embedder, [folder])
    assert not report.failed
    digest = await graph_digest(database)
    await empty(database, embedder)
    return Papers(folder, digest)


async def empty(database: Database, embedder: SentenceTransformerModel) -> None:
    """Delete all papers and make the store ready for new ones."""
    await wipe(database.driver, database=database.name, keep=KEEP)
    await prepare(database, embedder.card)


async def assert_same_graph(database: Database, papers: Papers) -> None:
    """Assert that a store holds what an undisturbed ingestion of the papers makes."""
    digest = await graph_digest(database)
    assert (digest.n_nodes, digest.n_relationships) == (papers.digest.n_nodes, papers.digest.n_relationships)
    assert digest.same_graph(papers.digest)


def in_the_middle(seed: int, *, n_papers: int = N_PAPERS) -> tuple[int, float]:
    """Return after how many papers, and how many seconds later, the fault comes."""
    choice = random.Random(seed)  # noqa: S311
    return choice.randint(1, n_papers * 3 // 4), choice.uniform(0, 0.03)


def outcomes(items: Sequence[dict[str, object]]) -> dict[object, int]:
    """Count how often each outcome stands in the JSON of a report."""
    counts: dict[object, int] = {}
    for item in items:
        counts[item["outcome"]] = counts.get(item["outcome"], 0) + 1
    return counts
