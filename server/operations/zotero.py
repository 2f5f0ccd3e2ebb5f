"""Operations between a Zotero library and a collection: its tags, notes and highlights as annotations of papers.

The folder of the library keeps what was brought in ``annotations.jsonl``: an entry for each tag, note and highlight,
with the id of its annotation and the time of the write. An annotation with a later change was edited by a person.
"""

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.fetch.folder import Records, are_too_many
from papergraph.ingest.fetch.zotero import ALONE, LIBRARY, LibraryFolder
from papergraph.ingest.fetch.zotero_marks import Mark
from papergraph.ingest.graph.annotations import read_text
from papergraph.ingest.parsers.line_boxes import LineBoxes, unpack
from papergraph.ingest.parsers.pdf.page_image import PageFrame, frames_in_child
from papergraph.ingest.parsers.sandbox import RefusedError
from papergraph.ingest.sources.find import find_documents
from papergraph.ingest.sources.records import Record, read_bibliography
from papergraph.progress import Progress, silent
from papergraph.schema.ids import sha256, source_id
from papergraph.server.auth.access import everything
from papergraph.server.operations.annotations import (
    NewAnnotation,
    annotate,
    checked_text,
    delete_annotations,
    row_of,
)
from papergraph.server.papers.annotations import (
    AnnotationKind,
    AnnotationQuery,
    Colour,
    StoredAnnotation,
    find_annotations,
)
from papergraph.server.papers.find import line_boxes_of
from papergraph.server.papers.highlight_places import HighlightPlace, place_of
from papergraph.text.alignment import squeezed

BROUGHT = "annotations.jsonl"
AT_ONCE, TAGGED_AT_ONCE, FOUND_AT_ONCE = 200, 100, 1000


@dataclass(frozen=True)
class PlacedPaper:
    """Paper of an item or file.

    Attributes:
        id: Its id.
        title: Its title.
        leading: Name of the source that annotations belong to, the file that gives the text if there is one.
        content: Checksum of that file.
    """

    id: str
    title: str
    leading: str
    content: str


@dataclass
class MarksReport:
    """Result of bringing tags, notes and highlights into a collection.

    Attributes:
        added, changed, deleted: Numbers of annotations.
        edited: Those that a person edited in papergraph, and that stay so.
        unaligned: Highlights whose words were not found at their place, as "title, page: words".
        waiting: Number of those whose paper is not in the collection.
    """

    added: int = 0
    changed: int = 0
    deleted: int = 0
    edited: list[str] = field(default_factory=list)
    unaligned: list[str] = field(default_factory=list)
    waiting: int = 0


async def bring_marks(
    database: Database,
    folder: LibraryFolder,
    *,
    accept_deletions: int = 0,
    progress: Progress = silent,
) -> MarksReport:
    """Bring the tags, notes and highlights of a library into its collection; a second call changes nothing.

    Those of a group are shared with the collection, those of a user are private.

    Args:
        database: The store.
        folder: Folder of the library, brought up to date and ingested.
        accept_deletions: Number of deletions that were agreed to.
        progress: Receives the number of papers done.

    Raises:
        InputError: More are deleted than may be without being asked.
        DatabaseError: Neo4j failed.
    """
    bringing = await _Bringing.begun(database, folder)
    await bringing.delete(accept_deletions)
    await bringing.write(progress)
    folder.note_annotated()
    return bringing.report


@dataclass
class _Bringing:
    database: Database
    folder: LibraryFolder
    collection: str
    brought: Records
    papers: Mapping[str, PlacedPaper]
    stored: dict[str, StoredAnnotation]
    report: MarksReport = field(default_factory=MarksReport)

    @classmethod
    async def begun(cls, database: Database, folder: LibraryFolder) -> "_Bringing":
        collection = folder.collection
        brought = Records.read(folder.path / BROUGHT, key="key")
        papers = await papers_of(database, folder, collection)
        ids = [one["id"] for one in brought.by_key.values()]
        stored = await _stored(database, collection, ids)
        if ids and not stored:  # another store, or one that was made anew
            brought.keep_only([])
        return cls(database, folder, collection, brought, papers, stored)

    def is_edited(self, entry: Mapping[str, Any]) -> bool:
        """Say whether a person changed an annotation, or deleted it."""
        found = self.stored.get(entry["id"])
        return found is None or _changed_at(found) != entry["changedAt"]

    async def delete(self, accepted: int) -> None:
        """Delete the annotations of tags, notes and highlights that are gone, unless a person edited them.

        Those of items that Zotero does not show stay with their papers.
        """
        before = self.brought.by_key
        wanted = {one.key for one in self.folder.marks}
        items = self.folder.shown_items
        is_complete = not self.folder.state.values.get("n_unshown")
        gone = [key for key, one in before.items() if key not in wanted and one["item"] in items and is_complete]
        if are_too_many(len(gone), len(before), accepted=accepted):
            raise InputError(
                f"{len(gone)} of {len(before)} tags, notes and highlights are gone in Zotero. If this is meant: "
                f"--accept-deletions {len(gone)}",
                field="accept_deletions",
            )
        ids, used = [], {one["id"] for key, one in before.items() if key in wanted}
        for key in gone:
            if before[key]["isOwn"] or before[key]["id"] not in self.stored or before[key]["id"] in used:
                continue
            if self.is_edited(before[key]):
                self.report.edited.append(_told(self.stored[before[key]["id"]]))
                continue
            ids.append(before[key]["id"])
        for part in batches(ids, TAGGED_AT_ONCE):
            await delete_annotations(self.database, everything(), part)
        self.report.deleted = len(ids)
        self.brought.keep_only([key for key in before if key not in set(gone)])

    async def write(self, progress: Progress) -> None:
        """Write new and changed tags, notes and highlights, paper by paper."""
        by_paper: dict[str, list[Mark]] = defaultdict(list)
        tags: dict[str, list[Mark]] = defaultdict(list)
        for mark in self.folder.marks:
            paper = self.papers.get(mark.item)
            if paper is None:
                self.report.waiting += 1
            elif not self._is_done(mark, paper):
                (tags[mark.text] if mark.kind == "tag" else by_paper[paper.id]).append(mark)
        for text, marks in tags.items():
            await self._tag(text, marks)
        for number, marks in enumerate(by_paper.values(), start=1):
            progress.step(f"notes and highlights of Zotero: {number} of {len(by_paper)} papers")
            await self._annotate(self.papers[marks[0].item], marks)

    def _is_done(self, mark: Mark, paper: PlacedPaper) -> bool:
        before = self.brought.by_key.get(mark.key)
        if before is None:
            return False
        is_same = before["hash"] == _hash(mark)
        if is_same and (before["isExact"] or before["content"] == paper.content):
            self._tell_unaligned(mark, paper, is_aligned=before["isAligned"])
            return True
        if self.is_edited(before):
            if not is_same:
                self.report.edited.append(f"{paper.title}: {mark.quote or mark.text}")
            return True
        return False

    async def _tag(self, text: str, marks: Sequence[Mark]) -> None:
        by_paper = {self.papers[one.item].id: one for one in marks}
        for ids in batches(list(by_paper), TAGGED_AT_ONCE):
            query = AnnotationQuery(self.collection, papers=ids, kinds=[AnnotationKind.TAG], tag=text)
            own = {
                one.record["paper_id"]: one
                for one in await find_annotations(self.database, query, owner="", limit=FOUND_AT_ONCE)
                if one.record["annotation"]["owner"] == ""
                and by_paper[one.record["paper_id"]].key not in self.brought.by_key
            }
            new = [id for id in ids if id not in own]
            wanted = NewAnnotation(papers=new or list(ids), kind=AnnotationKind.TAG, text=text, shared=self._is_shared)
            made = await annotate(self.database, everything(), wanted) if new else []
            at = {one.paper_id: (one.id, one.changed_at.isoformat()) for one in made}
            for id, one in own.items():
                at[id] = (one.record["annotation"]["id"], _changed_at(one))
            for mark in marks:
                paper = self.papers[mark.item]
                if paper.id in at:
                    self._note(mark, paper, *at[paper.id], isOwn=paper.id in own)

    @property
    def _is_shared(self) -> bool:
        return self.folder.zotero.library.startswith("groups/")

    async def _annotate(self, paper: PlacedPaper, marks: Sequence[Mark]) -> None:
        now = datetime.now(UTC)
        places = await self._places(paper, [one for one in marks if one.kind == "highlight"])
        rows = []
        for mark in marks:
            kind = AnnotationKind(mark.kind)
            id = sha256("Zotero", self.collection, self.folder.library, mark.key)
            before = self.stored.get(id)
            values: dict[str, Any] = {
                "id": id,
                "collection": self.collection,
                "kind": kind.value,
                "owner": "",
                "text": checked_text(kind, mark.text),
                "createdAt": before.record["annotation"]["createdAt"] if before else now,
                "changedAt": now,
            }
            if kind is AnnotationKind.HIGHLIGHT:
                values |= _highlight(mark, places[mark.key])
            rows.append(row_of(source_id(self.collection, paper.leading), values, shared=self._is_shared))
        for part in batches(rows, AT_ONCE):
            await self.database.run_alone(cypher.load("annotations/write"), rows=part)
        for mark, row in zip(marks, rows, strict=True):
            found = row["properties"]
            is_aligned = mark.kind != "highlight" or found["startChar"] is not None
            is_exact = mark.kind != "highlight" or places[mark.key].is_exact
            self._tell_unaligned(mark, paper, is_aligned=is_aligned)
            self._note(mark, paper, found["id"], _iso(now), isAligned=is_aligned, isExact=is_exact)

    async def _places(self, paper: PlacedPaper, marks: Sequence[Mark]) -> dict[str, HighlightPlace]:
        """Return the place of each highlight in the text and on the pages of its paper."""
        if not marks:
            return {}
        text = await read_text(self.database, paper.id)
        (packed,) = await line_boxes_of(self.database, [paper.id])
        headings = await self.database.read(cypher.load("annotations/headings"), id=paper.id)
        titles = [squeezed(one) for one in (paper.title, *(record["title"] for record in headings))]
        frames: dict[str, list[PageFrame]] = {}
        places = {}
        for mark in marks:
            file = self.folder.file_of(mark.attachment)
            if mark.attachment not in frames:
                frames[mark.attachment] = await asyncio.to_thread(frames_of, file)
            is_leading = file is not None and str(file) == paper.leading
            lines = unpack(packed) if is_leading else LineBoxes((), ())
            places[mark.key] = place_of(mark, text, titles, lines, frames[mark.attachment] if is_leading else ())
        return places

    def _note(self, mark: Mark, paper: PlacedPaper, id: str, at: str, **flags: bool) -> None:
        if mark.key in self.brought.by_key:
            self.report.changed += 1
        else:
            self.report.added += 1
        entry = {"key": mark.key, "id": id, "item": mark.item, "hash": _hash(mark), "changedAt": at}
        usual = {"isAligned": True, "isExact": True, "isOwn": False}
        self.brought.put({**entry, "content": paper.content, **usual, **flags})

    def _tell_unaligned(self, mark: Mark, paper: PlacedPaper, *, is_aligned: bool) -> None:
        if not is_aligned:
            page = f", page {mark.page}" if mark.page else ""
            self.report.unaligned.append(f"{paper.title}{page}: {mark.quote}")


def _highlight(mark: Mark, place: HighlightPlace) -> dict[str, Any]:
    start, end = place.chars or (None, None)
    quote = {"quote": mark.quote, "prefix": "", "suffix": "", "startChar": start, "endChar": end}
    return quote | {"colour": Colour(mark.colour).value, "boxes": list(place.boxes) or None}


def frames_of(file: Path | None) -> list[PageFrame]:
    if file is None or file.suffix.lower() != ".pdf":
        return []
    try:
        return frames_in_child(file.read_bytes())
    except (RefusedError, OSError):
        return []


async def papers_of(database: Database, folder: LibraryFolder, collection: str) -> dict[str, PlacedPaper]:
    """Return the paper of each item, and of each file without one, by its key."""
    records = await database.read(
        cypher.load("annotations/papers_below"), collection=collection, below=f"{folder.path}/"
    )
    by_name = {
        one["name"]: PlacedPaper(one["paper_id"], one["title"], one["leading"], one["content"] or "") for one in records
    }
    names = await asyncio.to_thread(source_names, folder.path)
    found = {key: by_name[name] for key, name in names.items() if name in by_name}
    for file in (folder.path / ALONE).glob("*/*"):
        if str(file) in by_name:
            found[file.parent.name] = by_name[str(file)]
    return found


def source_names(path: Path) -> dict[str, str]:
    """Return the name of the source that each item of a library's folder became, by the item's key."""
    library = path / LIBRARY
    if not library.exists():
        return {}
    keys = [one["key"] for one in json.loads(library.read_bytes())["items"]]
    found = [one for one in find_documents([str(library)]) if isinstance(one, Record)]
    by_line, by_paper = {one.line: one.name for one in found}, {one.paper: one.name for one in found}
    names = {}
    for line, metadata in read_bibliography(library)[0]:
        name = by_line.get(line) or by_paper.get(metadata.arxiv_id or metadata.doi or "")
        if name is not None:
            names[keys[line - 1]] = name
    return names


async def _stored(database: Database, collection: str, ids: Iterable[str]) -> dict[str, StoredAnnotation]:
    found: dict[str, StoredAnnotation] = {}
    for part in batches(list(ids), FOUND_AT_ONCE):
        query = AnnotationQuery(collection, ids=part)
        for one in await find_annotations(database, query, owner=None, limit=len(part)):
            found |= dict.fromkeys(one.ids, one)
    return found


def _changed_at(found: StoredAnnotation) -> str:
    return _iso(found.record["annotation"]["changedAt"].to_native())


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _told(found: StoredAnnotation) -> str:
    one = found.record["annotation"]
    return f"{found.record['title']}: {one.get('quote') or one['text']}"


def _hash(mark: Mark) -> str:
    return hashlib.sha256(json.dumps(mark.data(), sort_keys=True).encode()).hexdigest()
