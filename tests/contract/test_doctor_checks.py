"""Every check of the doctor is silent on a healthy graph, and one file adds another with its repair.

What makes each check find something, and that its repair loses nothing, is tested in integration/test_doctor.py.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.doctor import checks, examine, repair
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import ingest, paper

CHECK = """// Papers whose licence is an empty text, where none would be said by no licence.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      forget_licence
// Order       425
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.license = ''
RETURN paper.id AS id, paper.id AS paper_id, 'has an empty licence' AS problem
ORDER BY id LIMIT $limit
"""
REPAIR = """// Forget empty licences.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      left without a licence
// Given       papers
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.license = ''
REMOVE paper.license
RETURN count(*) AS n_repaired
"""


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write(tmp_path / "added/doctor/license_empty.cypher", CHECK)
    write(tmp_path / "added/doctor/repair/forget_licence.cypher", REPAIR)
    monkeypatch.setattr(cypher, "FOLDERS", [*cypher.FOLDERS, tmp_path / "added"])
    checks.cache_clear()
    yield
    checks.cache_clear()


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.name)
def test_a_check_says_what_it_finds_what_is_done_and_what_to_do(check):
    assert check.means.endswith(".")
    assert check.advice
    assert all(cure.action for cure in check.cures)


def test_names_and_places_are_distinct():
    assert len({check.name for check in checks()}) == len(checks()) == len({check.order for check in checks()}) > 30


@pytest.mark.slow
@pytest.mark.writes_by_hand
@pytest.mark.usefixtures("toy")
async def test_one_file_adds_a_check_and_one_its_repair(database: Database, quick: QuickEmbedder, tmp_path: Path):
    await ingest(database, quick, [write(tmp_path / "tides.md", paper("Tides"))])
    clean = await graph_checksum(database)
    healthy = await examine(database)
    await database.run_alone(Statement("test/break", "MATCH (paper:Paper) SET paper.license = ''"))

    found = await examine(database)
    mended = await repair(database)

    assert healthy.findings == mended.findings == ()
    assert [(one.check, one.n, one.examples[0].problem) for one in found.findings] == [
        ("license_empty", 1, "has an empty licence")
    ]
    assert [(one.check, one.n, one.action) for one in mended.repairs] == [
        ("license_empty", 1, "left without a licence")
    ]
    assert (await graph_checksum(database)).same_graph(clean)
