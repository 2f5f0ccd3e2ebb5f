"""``papergraph zotero`` keeps a collection in step with a library of Zotero."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.statement import Statement
from tests.support.command import Papergraph
from tests.support.fake_zotero import FakeZotero

PAPERS = Statement(
    "test/papers", "MATCH (p:Paper) RETURN p.title AS title, p.doi AS doi, p.nChunks AS chunks ORDER BY title"
)


@pytest.fixture
def server() -> Iterator[FakeZotero]:
    with FakeZotero() as server:
        yield server


@pytest.mark.slow
async def test_a_collection_follows_a_library(
    database: Database, papergraph: Papergraph, server: FakeZotero, tmp_path: Path
):
    storage = tmp_path / "storage"
    for key, text in (("F1", "# Tides\n\nThe sea rises twice a day.\n"), ("F2", "# Alone\n\nNobody cites it.\n")):
        (storage / key).mkdir(parents=True)
        (storage / key / "text.md").write_text(text)
    server.add("A", "Tides", DOI="10.1000/tides", tags=[{"tag": "sea"}])
    server.add("B", "Tides", DOI="10.1000/tides")
    server.add("C", "Winds")
    server.attach("F1", storage / "F1/text.md", parent="A")
    server.attach("F2", storage / "F2/text.md")

    async def titles() -> list[str]:
        return [record["title"] for record in await database.read(PAPERS)]

    def sync(*options: str) -> str:
        done = papergraph.process("zotero", "sync", "-q", *options, PAPERGRAPH_ZOTERO_URL=server.url)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    planned = sync("--dry-run")
    assert "3 new" in planned and "To Zotero: nothing before the first sync." in planned
    assert await titles() == []
    sync()
    assert await titles() == ["Alone", "Tides", "Winds"]
    assert [record["chunks"] > 0 for record in await database.read(PAPERS)][:2] == [True, True]

    before = len(server.requests)
    assert "nothing has changed" in sync()
    assert len(server.requests) - before <= 6

    server.items["C"]["title"] = "Winds of the north"
    server.trash.add("F2")
    sync()
    assert await titles() == ["Alone", "Tides", "Winds of the north"]
    assert "1 deleted" not in sync("--prune")
    assert await titles() == ["Tides", "Winds of the north"]

    status = papergraph.process("zotero", "status", PAPERGRAPH_ZOTERO_URL=server.url)
    assert "users/0: 3 items" in status.stdout

    server.annotate("H1", "F1", "The sea rises", annotationColor="#5fb236")
    sync()
    pushed = papergraph.process("zotero", "push", "--dry-run", PAPERGRAPH_ZOTERO_URL=server.url)
    assert (pushed.returncode, "0 would be written" in pushed.stdout) == (0, True), pushed.stderr
    assert papergraph.process("notes", "add", "10.1000/tides", "--tag", "to cite", "-q").returncode == 0
    planned = papergraph.process("zotero", "sync", "--dry-run", "--json", PAPERGRAPH_ZOTERO_URL=server.url)
    told = json.loads(planned.stdout)
    assert (told["changes"]["added"], [one["words"] for one in told["push"]["changes"]]) == ([], ["to cite"])
    log = papergraph.process("zotero", "log", "-n", "1", PAPERGRAPH_ZOTERO_URL=server.url)
    assert "<- Zotero  create highlight  Tides: The sea rises" in log.stdout
    refused = papergraph.process("zotero", "push", PAPERGRAPH_ZOTERO_URL=server.url)
    assert refused.returncode != 0 and "papergraph zotero authorize" in refused.stderr
