"""Earlier texts of papers: kept, compared and readable; quotes that the new text lacks are found."""

import os
import time
from pathlib import Path

import httpx

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import delete_source
from papergraph.ingest.ingestor import Ingestor
from papergraph.ingest.originals import YOUNG_S, Originals
from papergraph.server.app import create_app
from papergraph.server.auth.access import everything
from papergraph.server.graph.export import to_markdown
from papergraph.server.operations.annotations import NewAnnotation, annotate
from papergraph.server.operations.service import Service
from papergraph.server.operations.versions import Change, QuoteKind, broken_quotes, paper_versions, version_of
from papergraph.server.papers.annotations import AnnotationKind
from papergraph.statement import Statement
from tests.support.ingestion import papers_of
from tests.support.stored_answers import store

COUNT = Statement("test/count", "MATCH (one:PaperVersion) RETURN count(one) AS n")

FIRST = """---
doi: 10.1000/tides
---

# Tides of the harbour

## Method

We measure the level of the sea at noon. A gauge is read each day.

## Results

The sea is calm at noon, and waves rise later. Spring tides reach four metres.

## Funding

Nobody paid for it.
"""
SECOND = FIRST.replace("Spring tides reach four metres.", "Spring tides reach five metres.").replace(
    "## Funding\n\nNobody paid for it.", "## Data\n\nAll levels are in a table."
)
SECOND = SECOND.replace("## Method", "## Methods")


async def test_an_earlier_text_is_compared_read_and_its_quotes_are_checked(
    database: Database, embedder: Embedder, tmp_path: Path
):
    originals = Originals(tmp_path / "files")
    ingestor, file = Ingestor(database, embedder, originals=originals), tmp_path / "tides.md"
    file.write_text(FIRST)
    await ingestor.ingest([file])
    (paper,) = await papers_of(database)
    kept, lost = "The sea is calm at noon", "Spring tides reach four metres"
    for quote in (kept, lost):
        await store(database, f"answer-{len(quote)}", paper.id, quote)
        mark = NewAnnotation(papers=[paper.id], kind=AnnotationKind.HIGHLIGHT, quote=quote, text="a comment")
        await annotate(database, everything(), mark)
    assert await paper_versions(database, paper.id) == []
    assert await broken_quotes(database, everything(), collection="main") == []

    file.write_text(SECOND)
    await ingestor.ingest([file])
    (version,) = await paper_versions(database, paper.id)
    assert (version.number, version.title, version.n_sections) == (1, "Tides of the harbour", 3)
    changes = {(one.change, one.section.removeprefix("Tides of the harbour > ")): one.share for one in version.changes}
    assert changes == {
        (Change.RENAMED, "Method → Methods"): 0.0,
        (Change.CHANGED, "Results"): round(10 / 30, 3),
        (Change.ADDED, "Data"): 1.0,
        (Change.REMOVED, "Funding"): 1.0,
    }
    assert "four metres" in to_markdown(await version_of(database, paper.id, 1))
    broken = await broken_quotes(database, everything(), collection="main")
    assert [(one.kind, one.quote) for one in broken] == [(QuoteKind.ANSWER, lost), (QuoteKind.HIGHLIGHT, lost)]
    assert (broken[0].id, broken[1].about) == (f"answer-{len(lost)}", "a comment")

    application = create_app(Service(database, embedder, originals=originals))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        for place in originals.folder.iterdir():
            os.utime(place, (time.time() - 2 * YOUNG_S,) * 2)
        assert await originals.sweep(database) == 0  # that of the earlier text stays
        route = f"/v1/papers/{paper.id}"
        assert (await client.get(f"{route}/file", params={"version": 1})).text == FIRST
        assert (await client.get(f"{route}/file")).text == SECOND
        assert "four metres" in (await client.get(f"{route}/text.md", params={"version": 1})).text
        assert (await client.get(f"{route}/text.md", params={"version": 2})).status_code == 404

    file.write_text(FIRST)  # the first text again is no earlier one
    await ingestor.ingest([file])
    (version,) = await paper_versions(database, paper.id)
    assert "five metres" in to_markdown(await version_of(database, paper.id, version.number))
    assert await broken_quotes(database, everything(), collection="main") == []
    await delete_source(database, collection="main", name=str(file))
    assert [one["n"] for one in await database.read(COUNT)] == [0]
