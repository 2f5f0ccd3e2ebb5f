"""Answers, highlights and tags go to Zotero once, and what a person does there stays."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import LibraryFolder, Zotero, ZoteroError, opened
from papergraph.ingest.fetch.zotero_log import ChangeLog
from papergraph.ingest.fetch.zotero_writer import ZoteroWriter
from papergraph.ingest.graph.edits import edit_paper
from papergraph.ingest.ingestor import Ingestor
from papergraph.ingest.parsers.pdf.page_image import frames
from papergraph.outbound import operator_service
from papergraph.server.auth.access import everything
from papergraph.server.operations.annotations import (
    AnnotationChange,
    NewAnnotation,
    annotate,
    change_annotation,
    list_annotations,
)
from papergraph.server.operations.zotero import bring_marks, papers_of
from papergraph.server.operations.zotero_push import PushReport, PushRequest, push, undo
from papergraph.server.papers.annotations import AnnotationKind, AnnotationQuery, Colour
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_zotero import FakeZotero
from tests.support.typeset import pdf

QUOTE, MARKED = "The sea rises twice a day near the old harbour.", "In winter the wind is strong"
MARKUP = f"""= Tides of the north
{QUOTE} We measured it at noon with a long pole of oak.
#pagebreak()
= Tides of the south
{MARKED}, as all sailors know. Nobody knows why.
"""
CHUNK = Statement(
    "test/chunk", "MATCH (c:Chunk) WHERE c.text CONTAINS 'rises twice' RETURN c.id AS id, c.paperId AS paper"
)


class Library:
    """A library of one PDF that is in the collection main, with an answer and annotations of a person."""

    def __init__(self, database: Database, model: Embedder, server: FakeZotero, home: Path) -> None:
        self.database, self.server, self.home, self.paper = database, server, home, ""
        self.ingestor = Ingestor(database, QuickEmbedder(model))

    def _opened(self) -> Any:
        return opened(self.home, Zotero(self.server.url, "users/0"), "main")

    async def sync(self) -> LibraryFolder:
        with self._opened() as folder:
            await asyncio.to_thread(folder.update)
            await self.ingestor.ingest(folder.sources)
            await bring_marks(self.database, folder)
            self.paper = (await papers_of(self.database, folder, "main"))["A"].id
            return folder

    async def push(self, **wanted: Any) -> PushReport:
        with self._opened() as folder:
            writer = ZoteroWriter(folder.zotero, self.server.key)
            return await push(self.database, folder, writer, PushRequest(**wanted))

    async def undo(self, number: int) -> None:
        with self._opened() as folder:
            await undo(folder, ZoteroWriter(folder.zotero, self.server.key), number)

    async def answer(self, id: str, quote: str = QUOTE) -> None:
        (chunk,) = await self.database.read(CHUNK)
        cited = {"number": 1, "chunk_id": chunk["id"], "paper_id": chunk["paper"], "paper_title": "Tides"}
        cited |= {"section_path": [], "url": None, "file": None, "page": 1, "quote": quote, "quoted": True, "start": 0}
        cited |= {"end": len(quote), "answer_start": 0, "answer_end": 3, "claim_start": 0, "claim_end": 9}
        content = {"question": "How often?", "text": f"{quote} [1]", "citations": [cited], "sources": [], "dropped": []}
        content |= {"grounded": True, "llm_generated": False, "model": None, "warnings": [], "answerability": 0.9}
        content |= {"reason": None, "message": None, "named_query": None}
        told = {"id": id, "collection": "main", "principal": "p", "account": "127.0.0.1", "question": "How often <b>?"}
        await self.database.run_alone(cypher.load("answers/store_answer"), content=json.dumps(content), most=99, **told)

    async def annotate(self) -> None:
        tag = NewAnnotation(papers=[self.paper], kind=AnnotationKind.TAG, text="to cite")
        mark = NewAnnotation(
            papers=[self.paper], kind=AnnotationKind.HIGHLIGHT, text="why?", quote=MARKED, colour=Colour.GREEN
        )
        for one in (tag, mark):
            await annotate(self.database, everything(), one)

    @property
    def made(self) -> dict[str, dict[str, Any]]:
        """Objects that papergraph made, by their kind and words."""
        ours = (one for one in self.server.items.values() if {"tag": "papergraph"} in one.get("tags", ()))
        return {one.get("annotationText") or "note": one for one in ours}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeZotero]:
    monkeypatch.setattr(operator_service, "PAUSE_S", 0.01)
    with FakeZotero() as server:
        file = tmp_path / "storage" / "F1" / "tides.pdf"
        file.parent.mkdir(parents=True)
        file.write_bytes(pdf(MARKUP))
        server.add("A", "Tides", DOI="10.1000/tides", tags=[{"tag": "sea"}], collections=[])
        server.attach("F1", file, parent="A")
        yield server


@pytest.fixture
async def library(database: Database, embedder: Embedder, server: FakeZotero, tmp_path: Path) -> Library:
    library = Library(database, embedder, server, tmp_path)
    await library.sync()
    await library.answer("answer-1")
    await library.annotate()
    return library


@pytest.mark.slow
async def test_a_push_writes_once_and_a_dry_run_nothing(library: Library, server: FakeZotero):
    planned = await library.push(dry_run=True, collect="to cite")
    assert server.n_writes == 0

    first = await library.push(collect="to cite")
    before = server.n_writes
    second = await library.push(collect="to cite")

    told = {(one.action, one.kind) for one in first.changes}
    assert {("create", "note"), ("create", "highlight"), ("change", "tags"), ("create", "collection")} < told
    assert {(one.action, one.kind) for one in planned.changes} <= told
    assert (server.n_writes, second.changes) == (before, ())
    assert set(library.made) == {"note", QUOTE, MARKED}
    note, quote, mark = (library.made[key] for key in ("note", QUOTE, MARKED))
    assert note["parentItem"] == "A"
    assert "How often &lt;b&gt;?" in note["note"] and "papergraph answer answer-1" in note["note"]
    assert f"zotero://open-pdf/library/items/F1?page=1&amp;annotation={quote['key']}" in note["note"]
    assert (mark["annotationComment"], mark["annotationColor"]) == ("why?", "#5fb236")
    assert mark["annotationSortIndex"].startswith("00001|0000") and mark["annotationPageLabel"] == "2"
    position = json.loads(mark["annotationPosition"])
    frame = frames(server.files["F1"].read_bytes())[1]
    assert position["pageIndex"] == 1
    assert all(0 < x0 < x1 < frame.width and 0 < y0 < y1 < frame.height for x0, y0, x1, y1 in position["rects"])
    (collection,) = server.collections.values()
    assert collection["name"] == "to cite" and server.items["A"]["collections"] == [collection["key"]]
    assert [one["tag"] for one in server.items["A"]["tags"]] == ["sea", "to cite"]

    found = await list_annotations(library.database, everything(), AnnotationQuery("main"), first=100)
    await library.sync()
    assert len(await list_annotations(library.database, everything(), AnnotationQuery("main"), first=100)) == len(found)


@pytest.mark.slow
async def test_what_a_person_does_in_zotero_stays(library: Library, server: FakeZotero):
    await library.push()
    note, mark = library.made["note"], library.made[MARKED]
    del server.items[note["key"]]
    server.items[mark["key"]]["annotationComment"] = "mine"
    server.items["A"]["tags"] = []
    (own,) = [
        one
        for one in await list_annotations(library.database, everything(), AnnotationQuery("main"), first=100)
        if one.kind is AnnotationKind.HIGHLIGHT
    ]
    await change_annotation(library.database, everything(), own.id, AnnotationChange(text="because"))
    before = server.n_writes

    report = await library.push()

    assert (server.n_writes, report.changes) == (before, ())
    assert report.kept_deleted == ("Tides: How often <b>?",)
    assert report.conflicts == ("Tides: Zotero has “mine #5fb236”, papergraph “because #5fb236”",)
    server.items[mark["key"]]["annotationComment"] = "why?"
    assert [one.kind for one in (await library.push()).changes] == ["highlight"]
    assert server.items[mark["key"]]["annotationComment"] == "because"


@pytest.mark.slow
async def test_faults_of_writes_lose_and_double_nothing(library: Library, server: FakeZotero, tmp_path: Path):
    def edited() -> None:
        server.save("items", "A", server.items["A"] | {"tags": [{"tag": "mine"}]})

    server.faults = ["lose", "drop", 429, 503, "", edited]
    await library.push()
    assert set(library.made) == {"note", QUOTE, MARKED}
    assert len([one for one in server.items.values() if {"tag": "papergraph"} in one.get("tags", ())]) == 3
    assert [one["tag"] for one in server.items["A"]["tags"]] == ["mine", "to cite"]

    (tmp_path / "zotero/users-0-main/pushed.jsonl").unlink()  # as if it was killed before it noted anything
    before = server.n_writes
    assert (await library.push()).changes == () and server.n_writes == before

    await library.answer("answer-2", MARKED)
    server.faults = ["drop"] * 9
    with pytest.raises(ZoteroError, match="broke off"):
        await library.push()
    server.faults, server.server_id = [], "SERVER-B"
    with pytest.raises(InputError, match="another Zotero profile"):
        await library.push()
    server.has_writes = False
    with pytest.raises(ZoteroError, match=r"Zotero 10 can.*PAPERGRAPH_ZOTERO_WRITE_TO.*papers export"):
        await library.push()


@pytest.mark.slow
async def test_corrections_are_offered_and_changes_taken_back(library: Library, server: FakeZotero, tmp_path: Path):
    await edit_paper(library.database, library.paper, {"title": "Tides of the seas", "year": 2020}, collection="main")

    offered = await library.push()
    assert offered.offers == ("Tides: title “Tides” to “Tides of the seas”", "Tides: date “2019-03-05” to “2020”")
    assert server.items["A"]["title"] == "Tides"
    await library.push(edits=True)
    assert (server.items["A"]["title"], server.items["A"]["date"]) == ("Tides of the seas", "2020")
    server.items["A"]["title"] = "Tides again"
    assert (await library.push(edits=True)).conflicts == ("Tides again: title “Tides again” to “Tides of the seas”",)
    server.items["A"]["title"] = "Tides of the seas"

    log = ChangeLog(tmp_path / "zotero/users-0-main")
    changes = [one for one in log.newest(100) if one.direction == "to-zotero"]
    assert [one.kind for one in changes] == ["fields", "tags", "note", "highlight", "highlight"]
    for one in changes:
        await library.undo(one.number)
    assert library.made == {}
    assert (server.items["A"]["title"], [one["tag"] for one in server.items["A"]["tags"]]) == ("Tides", ["sea"])
    before = server.n_writes
    assert (await library.push()).changes == () and server.n_writes == before
    with pytest.raises(InputError, match="taken back before"):
        await library.undo(changes[0].number)
    with pytest.raises(InputError, match="came from Zotero"):
        await library.undo(1)
