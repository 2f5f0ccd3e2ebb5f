"""The knowledge base within a Python process."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import papergraph
from papergraph.database import Database
from papergraph.settings import Settings
from tests.pytest_neo4j import Neo4jServer
from tests.support.command import settings_for

SAMPLES = Path("ingest/samples").resolve()
PAPERS = [SAMPLES / "surface-code-logical-error-rates.md", SAMPLES / "annealing-and-tabu-search.txt"]
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"


@pytest.fixture
def named(
    database: Database, neo4j_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Settings of the environment that name the session's Neo4j."""
    for name, value in {**settings_for(neo4j_server), "PAPERGRAPH_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    yield


@pytest.mark.slow
async def test_papers_are_ingested_searched_and_asked(named: None):
    async with await papergraph.AsyncLibrary.open() as library:
        report = await library.ingest(*PAPERS, collection="reading")
        again = await library.ingest(PAPERS[0], collection="reading")
        hits = await library.search(QUESTION, k=3, collection="reading")
        whole = await library.search(query=QUESTION, k=3, collections=("reading",))
        answer = await library.ask(QUESTION, collection="reading")
        titles = [paper.title for paper in await library.papers("reading")]
        rows = await library.cypher(
            "MATCH (p:Paper {collection: $collection}) RETURN p.title AS title ORDER BY title",
            {"collection": "reading"},
        )
        found = await library.doctor()

    assert [item.reason for item in (*report.items, *again.items)] == [None, None, None]
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert [hit.chunk.id for hit in hits] == [hit.chunk.id for hit in whole]
    assert "surface" in hits[0].paper.title.lower()
    assert isinstance(answer, papergraph.Answer) and answer.citations
    assert sorted(titles) == [row["title"] for row in rows] and len(titles) == 2
    assert found.healthy


async def test_what_cannot_be_searched_is_refused_with_the_argument(named: None):
    async with await papergraph.AsyncLibrary.open(Settings()) as library:
        with pytest.raises(papergraph.errors.InputError, match="k: Input should be greater than or equal to 1"):
            await library.search(QUESTION, k=0)
        with pytest.raises(papergraph.errors.NotFoundError):
            await library.papers("nowhere")
        with pytest.raises(papergraph.errors.UnsafeQueryError):
            await library.cypher("CREATE (:Paper)")


async def test_a_closed_library_can_be_closed_again(named: None):
    library = await asyncio.to_thread(papergraph.Library.open)

    await asyncio.to_thread(library.close)
    await asyncio.to_thread(library.close)

    with pytest.raises(RuntimeError):
        library.papers()
