"""Tags, notes and highlights of Zotero become annotations of papers, and follow it."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import Zotero, opened
from papergraph.ingest.ingestor import Ingestor
from papergraph.server.auth.access import everything
from papergraph.server.local.watches import WatchContext, WatchResult
from papergraph.server.local.watches import zotero as watch
from papergraph.server.operations.annotations import AnnotationChange, change_annotation, list_annotations
from papergraph.server.operations.zotero import MarksReport, bring_marks
from papergraph.server.papers.annotations import Annotation, AnnotationQuery
from papergraph.settings import Settings
from tests.support.embedders import QuickEmbedder
from tests.support.fake_zotero import FakeZotero

pytestmark = pytest.mark.slow

TIDES = "# Tides\n\nThe sea rises twice a day. The sea falls at night, as all sailors know.\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeZotero]:
    with FakeZotero() as server:
        file = tmp_path / "storage" / "F1" / "tides.md"
        file.parent.mkdir(parents=True)
        file.write_text(TIDES)
        server.collect("C1", "Oceans")
        server.collect("C2", "Tides", "C1")
        automatic = {"tag": "Hydrology", "type": 1}
        server.add("A", "Tides", DOI="10.1000/tides", tags=[{"tag": "to cite"}, automatic], collections=["C2"])
        server.add("B", "Winds")
        server.attach("F1", file, parent="A")
        server.note("N1", "A", "<h1>Read again</h1><p>with <b>care</b></p><ul><li>tables</li></ul>")
        server.note("N2", "A", "<p>An answer of ours</p>", tags=[{"tag": "papergraph"}])
        server.annotate("H1", "F1", "The sea falls at  night", annotationComment="when?", annotationColor="#5fb236")
        server.annotate("H2", "F1", "The moon is full")
        server.annotate("H3", "F1", "", annotationType="image", annotationComment="a map", annotationPageLabel="iv")
        yield server


class Sync:
    """A library that is brought into the collection main, again and again."""

    def __init__(self, database: Database, model: Embedder, server: FakeZotero, home: Path) -> None:
        self.database, self.server, self.home = database, server, home
        self.ingestor = Ingestor(database, model)

    async def __call__(self, library: str = "users/0", **options: Any) -> MarksReport:
        with opened(self.home, Zotero(self.server.url, library), "main") as folder:
            await asyncio.to_thread(folder.update)
            await self.ingestor.ingest(folder.sources)
            return await bring_marks(self.database, folder, **options)

    async def annotations(self) -> dict[str, Annotation]:
        found = await list_annotations(self.database, everything(), AnnotationQuery("main"), first=100)
        return {f"{one.kind} {one.quote or one.text}": one for one in found}


@pytest.fixture
def sync(database: Database, embedder: Embedder, server: FakeZotero, tmp_path: Path) -> Sync:
    return Sync(database, QuickEmbedder(embedder), server, tmp_path)


async def test_marks_arrive_once(sync: Sync):
    first = await sync()
    found = await sync.annotations()
    second = await sync()

    assert (first.added, first.waiting, first.unaligned) == (6, 0, ["Tides: The moon is full"])
    assert set(found) == {
        "tag to cite",
        "tag Oceans/Tides",
        "note Read again\nwith care\n- tables",
        "note Page iv: a map",
        "highlight The sea falls at night",
        "highlight The moon is full",
    }
    mark = found["highlight The sea falls at night"]
    assert TIDES[mark.start_char :].startswith("The sea falls at night")
    assert (mark.text, str(mark.colour), mark.shared, mark.is_orphan) == ("when?", "green", False, False)
    assert found["highlight The moon is full"].is_orphan
    assert (second.added, second.changed, second.deleted) == (0, 0, 0)
    assert await sync.annotations() == found


async def test_marks_follow_zotero_unless_a_person_edited_them(sync: Sync, server: FakeZotero):
    await sync()
    before = await sync.annotations()
    note = before["note Page iv: a map"]
    await change_annotation(sync.database, everything(), note.id, AnnotationChange(text="Figure 2"))
    server.items["H3"]["annotationComment"] = "a chart"
    server.items["H1"]["annotationComment"] = "at night"
    server.items["A"]["tags"] = []
    server.items["B"]["tags"] = [{"tag": "To Cite"}]
    del server.items["N1"]

    report = await sync()
    found = await sync.annotations()

    assert (report.added, report.changed, report.deleted) == (1, 1, 2)
    assert report.edited == ["Tides: Page iv: a chart"]
    assert found["highlight The sea falls at night"].text == "at night"
    assert found["tag To Cite"].paper_title == "Winds"
    assert {"note Figure 2", "tag Oceans/Tides"} < set(found) and "tag to cite" not in found
    assert (await sync()).edited == report.edited


async def test_marks_of_items_that_zotero_fails_to_show_stay(sync: Sync, server: FakeZotero):
    await sync()
    before = await sync.annotations()
    server.unreadable = {"N1"}

    assert (await sync()).deleted == 0
    server.trash = {"A"}
    assert (await sync()).deleted == 0
    assert await sync.annotations() == before


async def test_many_lost_marks_need_an_agreement(sync: Sync, server: FakeZotero):
    for number in range(30):
        server.note(f"M{number:02}", "B", f"<p>note {number}</p>")
    await sync()
    for number in range(30):
        del server.items[f"M{number:02}"]

    with pytest.raises(InputError, match="--accept-deletions 30"):
        await sync()
    assert (await sync(accept_deletions=30)).deleted == 30


async def test_marks_of_a_group_are_shared(sync: Sync):
    await sync("groups/9")

    assert {one.shared for one in (await sync.annotations()).values()} == {True}


async def test_a_watch_brings_what_is_new_and_asks_before_many_deletions(sync: Sync, server: FakeZotero):
    settings = Settings(home=sync.home, zotero={"url": server.url})

    async def look(accept_deletions: int | None = None) -> WatchResult:
        ingest = partial(sync.ingestor.ingest, collection="main")
        means = (ingest, _never, None, accept_deletions)
        context = WatchContext(sync.database, settings, "main", "", *means)  # type: ignore[arg-type]  # no finds
        return await watch.run(context, {})

    for number in range(30):
        server.note(f"M{number:02}", "B", f"<p>note {number}</p>")
    assert (await look()).words == "items: 2 new; 36 tags, notes and highlights written"
    assert (await look()).words == "nothing has changed"
    for number in range(30):
        del server.items[f"M{number:02}"]

    asked = await look()
    assert asked.asks and "--accept-deletions 30" in asked.words
    assert (await look(30)).words == "items: none; 30 tags, notes and highlights written"


async def _never(path: str) -> None:
    raise AssertionError(path)
