"""The queries of docs/extending.md run on a graph: a check of the doctor with its repair, and a named query."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import cypher
from ingest.doctor.checks import checks
from ingest.doctor.examine import examine, repair
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.statement import Statement
from schema.digest import graph_digest
from server.graph import named_queries
from tests.support.embedders import QuickEmbedder
from tests.support.examples import EXAMPLES
from tests.support.files import write
from tests.support.ingestion import ingest, paper

BREAK = Statement("test/break", "MATCH (paper:Paper {title: 'Tides'}) SET paper.title = ' Tides '")


@pytest.fixture(autouse=True)
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "added"
    for path, text in EXAMPLES.items():
        if path.startswith("cypher/"):
            write(folder / path.removeprefix("cypher/"), text)
    monkeypatch.setattr(cypher, "FOLDERS", [*cypher.FOLDERS, folder])
    checks.cache_clear()
    yield
    checks.cache_clear()


@pytest.mark.writes_by_hand
async def test_the_check_finds_its_fault_and_the_repair_restores_the_graph(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await ingest(database, QuickEmbedder(embedder), [write(tmp_path / "tides.md", paper("Tides"))])
    clean = await graph_digest(database)
    healthy = await examine(database)
    await database.run_alone(BREAK)

    found = await examine(database)
    after = await repair(database)

    assert healthy.findings == after.findings == ()
    named = [one for one in found.findings if one.check == "title_spaces"]
    assert [(one.n, one.examples[0].problem) for one in named] == [(1, "has spaces around its title")]
    assert ("title_spaces", 1, "trimmed") in [(one.check, one.n, one.action) for one in after.repairs]
    assert (await graph_digest(database)).same_graph(clean)


async def test_the_named_query_runs_with_its_own_values(database: Database, embedder: Embedder, tmp_path: Path):
    long, short = paper("Tides"), paper("Moon", body="It is round.")
    files = [write(tmp_path / "long.md", long), write(tmp_path / "short.md", short)]
    await ingest(database, QuickEmbedder(embedder), files)

    found = await named_queries.run(database, "longest_papers")

    assert found.columns == ("title", "n_chars")
    assert [row[0] for row in found.rows] == ["Tides", "Moon"]
    assert named_queries.find("longest_papers").question == "Which papers are longest?"
