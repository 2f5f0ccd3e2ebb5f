"""A store of the version before sources and authors' keys, with papers, becomes what a fresh one is."""

import json
from pathlib import Path

import pytest

from ingest.graph.writer import WriteOutcome
from ingest.ingestor import delete
from papergraph.database import Database
from papergraph.statement import Statement
from schema.digest import graph_digest
from schema.migrate import prepare
from tests.support.files import write
from tests.support.ingest_worker import CARD, HashEmbedder
from tests.support.ingestion import ingest, outcomes, paper

pytestmark = pytest.mark.slow

LATER = ("0013_sources", "0014_authors")
SOURCE_RULES = ("key", "content", "doi", "arxiv", "title", "file")
COUNTS = Statement("test/counts", "RETURN COUNT { (:Source) } AS sources, COUNT { (:Author) } AS authors")


def change(text: str) -> Statement:
    return Statement("test/before", text)


async def take_back(database: Database) -> None:
    """Make of a store of today one of the version before both migrations."""
    await database.run_alone(change("MATCH (source:Source) DETACH DELETE source"))
    await database.run_alone(change("MATCH (paper:Paper) REMOVE paper.titleKey"))
    await database.run_alone(change("DROP CONSTRAINT source_id"))
    for name in SOURCE_RULES:
        await database.run_alone(change(f"DROP INDEX source_{name}"))
    await database.run_alone(change("DROP INDEX review_kind"))
    for name in LATER:
        await database.run_alone(change(f"MATCH (version:SchemaVersion {{id: '{name}'}}) DELETE version"))


async def test_papers_of_before_get_their_sources_and_authors_stay_who_they_are(database: Database, tmp_path: Path):
    title = "Fitting linear mixed-effects models of Größe und Maß"
    record = {"title": "Storms over the sea", "key": "storms", "authors": ["Ada Lovelace", "WEI WANG"], "year": 1843}
    text = write(tmp_path / "a.md", paper(title, authors="Wei Wang, Martin Mächler", extra="doi: 10.1000/182\n"))
    records = write(tmp_path / "b.jsonl", json.dumps(record))
    await ingest(database, HashEmbedder(), [text, records])
    expected = await graph_digest(database)
    (counts,) = await database.read(COUNTS)
    await take_back(database)
    assert (await graph_digest(database)).sha256 != expected.sha256

    assert await prepare(database, CARD) == list(LATER)

    assert (await graph_digest(database)).same_graph(expected)
    assert [record.values() for record in await database.read(COUNTS)] == [counts.values()]
    again = await ingest(database, HashEmbedder(), [text, records])
    assert set(outcomes(again)) == {WriteOutcome.UNCHANGED}
    await delete(database, [str(records)])
    assert [record.values() for record in await database.read(COUNTS)] == [[1, 2]]
