"""Push to Zotero: stored answers as notes, quotes and highlights as annotations of PDFs, tags, and a collection.

The library's folder keeps what was written in ``pushed.jsonl``: an entry for each object, with its key in Zotero and
what Zotero then said. What a person changed or deleted in Zotero since stays so. An object that Zotero has and the file
does not, as after a lost answer, is found by what it says.
"""

import asyncio
import hashlib
import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.fetch.folder import Records
from papergraph.ingest.fetch.zotero import LIBRARY, LibraryFolder, ZoteroError
from papergraph.ingest.fetch.zotero_log import ChangeLog, LoggedChange
from papergraph.ingest.fetch.zotero_marks import COLOURS, OURS
from papergraph.ingest.fetch.zotero_writer import ChangedError, GoneError, LostAnswerError, ZoteroObject, ZoteroWriter
from papergraph.ingest.graph.annotations import read_text
from papergraph.ingest.graph.edits import stated_fields
from papergraph.ingest.graph.paper_sources import Provider
from papergraph.ingest.parsers.line_boxes import unpack
from papergraph.ingest.parsers.pdf.page_image import PageFrame
from papergraph.progress import Progress, silent
from papergraph.records import Record, described
from papergraph.requests import request
from papergraph.schema.records import Chunk
from papergraph.server.answers.records import AnswerCitation
from papergraph.server.answers.stored import StoredAnswer, find_answer
from papergraph.server.graph.nodes import nodes_by_id
from papergraph.server.operations.zotero import BROUGHT, PlacedPaper, frames_of, papers_of
from papergraph.server.operations.zotero_objects import (
    WantedHighlight,
    answers_in,
    corrected,
    creator_names,
    is_same_place,
    link,
    note_of,
    offset_on_page,
    told_by,
)
from papergraph.server.papers.annotations import (
    SIDES,
    AnnotationKind,
    AnnotationQuery,
    StoredAnnotation,
    find_annotations,
)
from papergraph.server.papers.find import line_boxes_of
from papergraph.server.papers.regions import regions_of
from papergraph.text.alignment import PiecedText

PUSHED = "pushed.jsonl"
AT_ONCE = 1000
TRIES = 3


@request(kw_only=True)
class PushRequest:
    """What to write into Zotero."""

    library: Annotated[
        str | None, described("users/ID or groups/ID; default: the library of the settings.", max_length=40)
    ] = None
    collection: Annotated[str | None, described("Collection; default: `main`.", max_length=100)] = None
    answers: Annotated[
        list[str] | None,
        described("Ids of stored answers; default: all of the caller, none in a group.", max_length=1000),
    ] = None
    collect: Annotated[
        str, described("Tag whose papers become a collection of its name; empty for none.", max_length=100)
    ] = ""
    edits: Annotated[bool, described("Write corrections of papers that a person made in papergraph, too.")] = False
    dry_run: Annotated[bool, described("Write nothing, and return what would be written.")] = False


@dataclass(frozen=True)
class PushChange(Record):
    """A write to Zotero."""

    action: Annotated[str, described("create or change.")]
    kind: Annotated[str, described("note, highlight, tags, collection or fields.")]
    title: Annotated[str, described("Title of the paper, or name of the collection.")]
    words: Annotated[str, described("What is written: the question, quote or tags.")]


@dataclass(frozen=True)
class PushReport(Record):
    """Result of a push to Zotero."""

    changes: Annotated[tuple[PushChange, ...], described("Writes; in a dry run what they would be.")]
    unchanged: Annotated[int, described("Number of objects that Zotero has already.")]
    conflicts: Annotated[
        tuple[str, ...], described("Objects that a person changed in Zotero, which stay so: both versions in words.")
    ]
    kept_deleted: Annotated[tuple[str, ...], described("Objects that a person deleted in Zotero, which stay deleted.")]
    offers: Annotated[
        tuple[str, ...], described("Corrections of papers made in papergraph that Zotero lacks; `edits` writes them.")
    ]
    unplaced: Annotated[
        tuple[str, ...], described("Quotes without a place in a PDF of Zotero, or whose paper Zotero does not have.")
    ]


@dataclass
class _Report:
    changes: list[PushChange] = field(default_factory=list)
    unchanged: int = 0
    conflicts: list[str] = field(default_factory=list)
    kept_deleted: list[str] = field(default_factory=list)
    offers: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)

    def finished(self) -> PushReport:
        changes, unplaced = tuple(self.changes), tuple(dict.fromkeys(self.unplaced))
        conflicts, deleted, offers = map(tuple, (self.conflicts, self.kept_deleted, self.offers))
        return PushReport(changes, self.unchanged, conflicts, deleted, offers, unplaced)


async def push(
    database: Database,
    folder: LibraryFolder,
    writer: ZoteroWriter,
    wanted: PushRequest,
    *,
    account: str = "",
    progress: Progress = silent,
) -> PushReport:
    """Write answers, highlights, tags and a collection into Zotero; a second call writes nothing.

    Of a group's library, only annotations that are shared are written, and only answers that are named.

    Args:
        database: The store.
        folder: Folder of the library, which was synced.
        writer: Writes to the library.
        wanted: What to write.
        account: Account of the caller, whose answers and annotations are written beside those made without a key.
        progress: Receives the number of objects done.

    Raises:
        InputError: Nothing was synced, or another Zotero profile was written to before.
        NotFoundError: There is no such answer.
        ZoteroError: Zotero cannot be written to; what was written before stays.
        DatabaseError: Neo4j failed.
    """
    if not (folder.path / LIBRARY).exists():
        name = f"{folder.zotero.library} into {folder.collection}"
        raise InputError(f"Nothing was synced of {name}: run papergraph zotero sync first.", field="library")
    server = "" if wanted.dry_run else await asyncio.to_thread(writer.check)
    if server and writer.zotero.is_local and folder.state.values.get("server", server) != server:
        raise InputError(
            f"This is another Zotero profile than the one that was written to before. Use another collection, or "
            f"delete {folder.path / PUSHED} if it is the same library.",
            field="library",
        )
    pushing = await _Pushing.begun(database, folder, writer, wanted, account)
    await pushing.highlights(progress)
    await pushing.notes(progress)
    await pushing.tags()
    await pushing.edits()
    if wanted.collect:
        await pushing.collection(wanted.collect)
    if server and writer.zotero.is_local:
        folder.state.note(server=server)
    return pushing.report.finished()


@dataclass
class _Place:
    """Place of a quote in the text of its paper, and its rectangles."""

    start: int
    end: int
    boxes: tuple[tuple[float, ...], ...]
    offset: int


@dataclass
class _Pushing:
    database: Database
    folder: LibraryFolder
    writer: ZoteroWriter
    wanted: PushRequest
    account: str
    pushed: Records
    log: ChangeLog
    papers: Mapping[str, PlacedPaper]
    keys: Mapping[str, list[str]]
    items: dict[str, dict[str, Any]]
    collections: dict[str, dict[str, Any]]
    answers: list[StoredAnswer] = field(default_factory=list)
    texts: dict[str, tuple[PiecedText, str]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    frames: dict[str, list[PageFrame]] = field(default_factory=dict)
    written: dict[tuple[str, int, int], str] = field(default_factory=dict)
    report: _Report = field(default_factory=_Report)

    @classmethod
    async def begun(
        cls, database: Database, folder: LibraryFolder, writer: ZoteroWriter, wanted: PushRequest, account: str
    ) -> "_Pushing":
        papers, keys = dict[str, PlacedPaper](), defaultdict[str, list[str]](list)
        for key, one in (await papers_of(database, folder, folder.collection)).items():
            papers[one.id] = one
            keys[one.id].append(key)
        pushed, log = Records.read(folder.path / PUSHED, key="key"), ChangeLog(folder.path)
        pushing = cls(database, folder, writer, wanted, account, pushed, log, papers, keys, {}, {})
        await pushing.read()
        ids = wanted.answers
        if ids is None and not pushing.is_group:
            records = await database.read(
                cypher.load("answers/of_person"), collection=folder.collection, account=account
            )
            ids = [record["id"] for record in records]
        found = [await find_answer(database, id, collections=[folder.collection]) for id in dict.fromkeys(ids or ())]
        pushing.answers = [one for one in found if one.text is not None]
        chunks = list({cited.chunk_id for one in pushing.answers for cited in one.citations})
        for part in batches(chunks, AT_ONCE):
            nodes = await nodes_by_id(database, part, collections=[folder.collection])
            pushing.starts |= {one.id: one.start_char for one in nodes if isinstance(one, Chunk)}
        return pushing

    async def read(self) -> None:
        """Read the library as it is now."""
        zotero = self.writer.zotero
        self.items = {one["key"]: one for one in await asyncio.to_thread(list, zotero.items())}
        self.collections = {one["key"]: one for one in await asyncio.to_thread(zotero.collections)}

    @property
    def is_group(self) -> bool:
        return self.writer.zotero.library.startswith("groups/")

    def item_of(self, paper_id: str) -> str | None:
        """Return the key of the item of a paper; of several, the one with the file that gives its text."""
        keys = sorted(key for key in self.keys.get(paper_id, ()) if key in self.items)
        attachment = self.attachment_of(paper_id)
        parent = str(self.items.get(attachment or "", {}).get("parentItem") or attachment)
        return parent if parent in keys else next(iter(keys), None)

    def attachment_of(self, paper_id: str) -> str | None:
        """Return the key of the file in Zotero that gives a paper's text."""
        path = Path(self.papers[paper_id].leading) if paper_id in self.papers else Path()
        if path.is_relative_to(self.folder.path) and path.parent.name in self.items:
            return path.parent.name
        return None

    # Highlights

    async def highlights(self, progress: Progress) -> None:
        """Write highlights of persons, and one for each quote of an answer, each in its PDF."""
        wanted: dict[tuple[str, int, int], WantedHighlight] = {}
        for stored in await self._annotations(AnnotationKind.HIGHLIGHT):
            one, paper = stored.record["annotation"], stored.record["paper_id"]
            place = await self._place(paper, one["quote"], one.get("startChar"), drawn=one.get("boxes") or [])
            self._want(wanted, one["id"], paper, one["quote"], place, comment=one["text"], colour=one["colour"])
        for answer in self.answers:
            for cited in answer.citations:
                place = await self._place_of(cited)
                self._want(wanted, "", cited.paper_id, cited.quote, place)
        for number, (place_key, highlight) in enumerate(wanted.items(), start=1):
            progress.step(f"highlights to Zotero: {number} of {len(wanted)}")
            key = await self._highlight(highlight)
            if key is not None:
                self.written[place_key] = key

    def _want(
        self,
        wanted: dict[tuple[str, int, int], WantedHighlight],
        id: str,
        paper: str,
        quote: str,
        place: _Place | None,
        *,
        comment: str = "",
        colour: str = "yellow",
    ) -> None:
        attachment = self.attachment_of(paper)
        if place is None or attachment is None:
            self.report.unplaced.append(f"{self._title(paper)}: {quote}")
            return
        key = f"highlight {id}" if id else f"quote {paper} {place.start} {place.end}"
        wanted.setdefault(
            (paper, place.start, place.end),
            WantedHighlight(key, paper, attachment, quote, comment, colour, place.boxes, place.offset),
        )

    async def _place_of(self, cited: AnswerCitation) -> _Place | None:
        start = self.starts.get(cited.chunk_id)
        return await self._place(cited.paper_id, cited.quote, None if start is None else start + cited.start)

    async def _place(self, paper: str, quote: str, near: int | None, drawn: Sequence[float] = ()) -> _Place | None:
        """Return where a quote is on the pages of its paper; ``drawn`` are the boxes of one that the text lacks."""
        if paper not in self.texts:
            (lines,) = await line_boxes_of(self.database, [paper])
            self.texts[paper] = (await read_text(self.database, paper), lines)
        text, lines = self.texts[paper]
        found = text.find(quote, near=near)
        boxes = tuple(tuple(map(float, box)) for box in regions_of(lines, *found)) if found and lines else ()
        if found is not None and boxes:
            return _Place(*found, boxes, offset_on_page(unpack(lines).boxes, int(boxes[0][0]), found[0]))
        boxes = tuple(tuple(drawn[at : at + SIDES]) for at in range(0, len(drawn), SIDES))
        return _Place(-1, hash(boxes), boxes, 0) if boxes else None

    async def _highlight(self, highlight: WantedHighlight) -> str | None:
        told = _hash(asdict(highlight))
        known = self.pushed.by_key.get(highlight.key)
        if known is not None and known["hash"] == told and known["zotero"] in self.items:
            self.report.unchanged += 1
            return str(known["zotero"])
        data = {"annotationComment": highlight.comment, "annotationColor": COLOURS[highlight.colour][0]}
        if known is None:
            if highlight.attachment not in self.frames:
                file = self.folder.file_of(highlight.attachment)
                self.frames[highlight.attachment] = await asyncio.to_thread(frames_of, file)
            frames = self.frames[highlight.attachment]
            if len(frames) < max(int(box[0]) for box in highlight.boxes):
                self.report.unplaced.append(f"{self._title(highlight.paper)}: {highlight.quote}")
                return None
            data = highlight.data(frames)
        wanted = _Wanted(highlight.key, "highlight", self._title(highlight.paper), highlight.quote, told, data)
        return await self._write(wanted, lambda items: next((one for one in items if is_same_place(one, data)), None))

    # Notes

    async def notes(self, progress: Progress) -> None:
        """Write a note for each answer, below the item of the paper that it quotes most."""
        for number, answer in enumerate(self.answers, start=1):
            progress.step(f"answers to Zotero: {number} of {len(self.answers)}")
            parents = [key for one in answer.citations if (key := self._parent(one.paper_id)) is not None]
            if not any(self.item_of(one.paper_id) for one in answer.citations):
                self.report.unplaced.append(f"answer to: {answer.asked}")
                continue
            note = note_of(answer, [await self._link(one) for one in answer.citations])
            data: dict[str, Any] = {"itemType": "note", "note": note, "tags": [{"tag": OURS}]}
            if parents:
                data["parentItem"] = max(parents, key=parents.count)
            title = self._title(answer.citations[0].paper_id)
            wanted = _Wanted(f"answer {answer.id}", "note", title, answer.asked, _hash(note), data)
            await self._write(wanted, lambda items, id=answer.id: answers_in(items).get(id))  # type: ignore[misc]

    def _parent(self, paper_id: str) -> str | None:
        """Return the key of the item of a paper that can have notes; a file alone cannot."""
        key = self.item_of(paper_id)
        return key if key is not None and self.items[key].get("itemType") != "attachment" else None

    async def _link(self, cited: AnswerCitation) -> str | None:
        library, item = self.folder.zotero.library, self.item_of(cited.paper_id)
        attachment = self.attachment_of(cited.paper_id)
        if attachment is None:
            return None if item is None else link(library, item)
        place = await self._place_of(cited)
        if place is None:
            return link(library, attachment, page=cited.page) if cited.page else link(library, item or attachment)
        marked = self.written.get((cited.paper_id, place.start, place.end))
        return link(library, attachment, page=int(place.boxes[0][0]), annotation=marked)

    # Tags and collections

    async def tags(self) -> None:
        """Add tags of persons to items; a tag that was written once and that Zotero lacks now is not written again."""
        by_item: dict[str, list[str]] = defaultdict(list)
        for one in await self._annotations(AnnotationKind.TAG):
            item = self.item_of(one.record["paper_id"])
            if item is not None:
                by_item[item].append(str(one.record["annotation"]["text"]))
        for item, names in by_item.items():
            await self._extend(item, "tags", names, f"tags {item}")

    async def collection(self, tag: str) -> None:
        """Put the items of papers with a tag into a collection of its name, made if missing."""
        found = [
            one
            for one in await self._annotations(AnnotationKind.TAG, brought=True)
            if str(one.record["annotation"]["text"]).lower() == tag.lower()
        ]
        if not found:
            raise InputError(f"No paper has the tag {tag!r}.", field="collect")
        data = {"name": tag, "parentCollection": False}
        words = "1 paper" if len(found) == 1 else f"{len(found)} papers"
        wanted = _Wanted(f"collection {tag.lower()}", "collection", tag, words, "", data)
        key = await self._write(wanted, lambda all_: next((one for one in all_ if _is_named(one, tag)), None))
        for one in found:
            item = self.item_of(one.record["paper_id"])
            if item is not None and key is not None:
                await self._extend(item, "collections", [key], f"collections {item}", shown=tag)

    async def edits(self) -> None:
        """Offer corrections that a person made of papers, or write them; a later change in Zotero stays."""
        records = await self.database.read(
            cypher.load("annotations/papers_below"), collection=self.folder.collection, below="edit:"
        )
        for paper in dict.fromkeys(record["paper_id"] for record in records):
            item = self._parent(paper)
            if item is None:
                continue
            stated = await stated_fields(self.database, paper, collection=self.folder.collection)
            said = {one.name: one.value for one in stated if one.provider is Provider.PERSON}
            before, ours = self.items[item], f"fields {item}"
            after = corrected(before, said)
            known = self.pushed.by_key.get(ours, {}).get("values", {})
            kept = {name for name, value in after.items() if known.get(name) == value}
            self.report.conflicts += [_of_item(before, name, after[name]) for name in sorted(kept)]
            new = {name: value for name, value in after.items() if name not in kept}
            if new and self.wanted.edits:
                await self._correct(item, ours, new, known)
            else:
                self.report.offers += [_of_item(before, name, value) for name, value in new.items()]

    async def _correct(self, item: str, ours: str, new: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        there, title = self.items[item], str(self.items[item].get("title") or item)
        words = "; ".join(_shown(there, name, value) for name, value in new.items())
        if not self.wanted.dry_run:
            now = await asyncio.to_thread(self.writer.read, item)
            before = {name: now.data.get(name) for name in new}
            if before != {name: there.get(name) for name in new}:
                self.report.conflicts.append(f"{title}: {words}")
                return
            try:
                await asyncio.to_thread(self.writer.change, item, now.version, new)
            except ChangedError:
                self.report.conflicts.append(f"{title}: {words}")
                return
            details = {"before": before, "after": new}
            self.log.add("to-zotero", "change", "fields", item, title=title, words=words, **details)
            self.pushed.put({"key": ours, "values": {**known, **new}})
        self.report.changes.append(PushChange("change", "fields", title, words))

    async def _extend(self, item: str, name: str, values: Sequence[str], ours: str, shown: str = "") -> None:
        """Add values to a list of an item, each with the version that was read."""
        before = set(self.pushed.by_key.get(ours, {}).get("values", ()))
        there = {value.lower() for value in _values(self.items[item], name)}
        new = [one for one in dict.fromkeys(values) if one.lower() not in there and one.lower() not in before]
        self.report.unchanged += len(values) - len(new)
        if not new:
            return
        kind, title = ("tags", str(self.items[item].get("title") or item)) if name == "tags" else ("collection", shown)
        words = ", ".join(new) if name == "tags" else str(self.items[item].get("title") or item)
        if not self.wanted.dry_run:
            for attempt in range(1, TRIES + 1):
                try:
                    now = await asyncio.to_thread(self.writer.read, item)
                    missing = [one for one in new if one.lower() not in {v.lower() for v in _values(now.data, name)}]
                    if missing:
                        added = [{"tag": one} for one in missing] if name == "tags" else missing
                        changed = {name: [*(now.data.get(name) or ()), *added]}
                        await asyncio.to_thread(self.writer.change, item, now.version, changed)
                    break
                except GoneError:
                    self.report.kept_deleted.append(title)
                    return
                except (ChangedError, LostAnswerError):  # read it again: it may be done
                    if attempt == TRIES:
                        self.report.conflicts.append(f"{title}: Zotero changes it all the time; papergraph has {words}")
                        return
            self.log.add("to-zotero", "change", kind, item, title=title, words=words, name=name, added=new)
            self.pushed.put({"key": ours, "values": sorted(before | {one.lower() for one in new})})
        self.report.changes.append(PushChange("change", kind, title, words))

    # Objects of one's own

    async def _write(
        self, wanted: "_Wanted", find: Callable[[Iterable[Mapping[str, Any]]], Mapping[str, Any] | None]
    ) -> str | None:
        """Create an object, or change it, and return its key; None if a person deleted it, or in a dry run."""
        there = self.collections if wanted.kind == "collection" else self.items
        known = self.pushed.by_key.get(wanted.ours)
        if known is not None and known["zotero"] not in there:
            self.report.kept_deleted.append(f"{wanted.title}: {wanted.words}")
            return None
        if known is not None:
            return await self._update(wanted, known, there[known["zotero"]])
        found = find(there.values())
        if found is not None:
            self.report.unchanged += 1
            self._note(wanted, str(found["key"]), told_by(found))
            return str(found["key"])
        self.report.changes.append(PushChange("create", wanted.kind, wanted.title, wanted.words))
        if self.wanted.dry_run:
            return None
        try:
            saved = await self._create(wanted, find)
        except ZoteroError:
            self.report.changes.pop()
            raise
        self._note(wanted, saved.key, told_by(saved.data) or told_by(wanted.data))
        there[saved.key] = {**wanted.data, **saved.data, "key": saved.key}
        self.log.add("to-zotero", "create", wanted.kind, saved.key, title=wanted.title, words=wanted.words)
        return saved.key

    async def _create(
        self, wanted: "_Wanted", find: Callable[[Iterable[Mapping[str, Any]]], Mapping[str, Any] | None]
    ) -> ZoteroObject:
        """Create an object; after a lost answer look for it before writing again."""
        kind, token = ("collections" if wanted.kind == "collection" else "items"), secrets.token_hex(16)
        for attempt in range(1, TRIES + 1):
            try:
                return await asyncio.to_thread(self.writer.create, wanted.data, token=token, kind=kind)
            except LostAnswerError:
                if attempt == TRIES:
                    raise
                await self.read()
                found = find((self.collections if kind == "collections" else self.items).values())
                if found is not None:
                    return ZoteroObject.of({"key": found["key"], "data": found})
        raise AssertionError("unreachable: the last attempt raises")

    async def _update(self, wanted: "_Wanted", known: Mapping[str, Any], there: Mapping[str, Any]) -> str:
        """Change an object that papergraph made, unless a person did so since."""
        key = str(known["zotero"])
        if known["hash"] == wanted.hash or wanted.kind == "collection":
            self.report.unchanged += 1
            return key
        own = {
            name: value
            for name, value in wanted.data.items()
            if name in ("note", "annotationComment", "annotationColor")
        }
        both = f"{wanted.title}: Zotero has “{told_by(there)}”, papergraph “{told_by({**there, **own})}”"
        if told_by(there) != known["told"]:
            self.report.conflicts.append(both)
            return key
        if not self.wanted.dry_run:
            try:
                now = await asyncio.to_thread(self.writer.read, key)
                if told_by(now.data) != known["told"]:
                    raise ChangedError(key)
                await asyncio.to_thread(self.writer.change, key, now.version, own)
            except ChangedError:
                self.report.conflicts.append(both)
                return key
            before = {name: now.data.get(name) for name in own}
            self._note(wanted, key, told_by({**now.data, **own}))
            self.log.add(
                "to-zotero",
                "change",
                wanted.kind,
                key,
                title=wanted.title,
                words=wanted.words,
                before=before,
                after=own,
            )
        self.report.changes.append(PushChange("change", wanted.kind, wanted.title, wanted.words))
        return key

    def _note(self, wanted: "_Wanted", key: str, told: str) -> None:
        if not self.wanted.dry_run:
            self.pushed.put({"key": wanted.ours, "zotero": key, "hash": wanted.hash, "told": told})

    async def _annotations(self, kind: AnnotationKind, *, brought: bool = False) -> list[StoredAnnotation]:
        """Return annotations that may be written: those of a person, or of a group the shared ones."""
        from_zotero = {one["id"] for one in Records.read(self.folder.path / BROUGHT, key="key").by_key.values()}
        query, found = AnnotationQuery(self.folder.collection, kinds=[kind]), list[StoredAnnotation]()
        while True:
            after = found[-1].record["place"] if found else ()
            part = await find_annotations(self.database, query, owner=None, after=after, limit=AT_ONCE)
            found += part
            if len(part) < AT_ONCE:
                break
        return [
            one
            for one in found
            if (one.record["is_shared"] if self.is_group else one.record["annotation"]["owner"] in ("", self.account))
            and (brought or from_zotero.isdisjoint(one.ids))
        ]

    def _title(self, paper_id: str) -> str:
        return self.papers[paper_id].title if paper_id in self.papers else "not in Zotero"


@dataclass(frozen=True)
class _Wanted:
    """An object that Zotero should have: its name, kind, words for people, checksum and data."""

    ours: str
    kind: str
    title: str
    words: str
    hash: str
    data: Mapping[str, Any]


async def undo(folder: LibraryFolder, writer: ZoteroWriter, number: int) -> LoggedChange:
    """Take a push's change of Zotero back, unless it was changed there since; a later push does not write it again.

    Raises:
        NotFoundError: The log has no such number.
        InputError: The change came from Zotero, was taken back before, or was edited in Zotero since.
        ZoteroError: Zotero cannot be written to.
    """
    log = ChangeLog(folder.path)
    change, details = log.details(number)
    if change.direction != "to-zotero" or change.action == "undo":
        raise InputError("This change came from Zotero, which is ahead: change it there.", field="number")
    if change.is_undone:
        raise InputError(f"Change {number} was taken back before.", field="number")
    await asyncio.to_thread(writer.check)
    await asyncio.to_thread(_undo, folder, writer, change, details)
    log.note_undone(number)
    log.add("to-zotero", "undo", change.kind, change.key, title=change.title, words=f"change {number}")
    return log.details(number)[0]


def _undo(folder: LibraryFolder, writer: ZoteroWriter, change: LoggedChange, details: Mapping[str, Any]) -> None:
    kind = "collections" if change.kind == "collection" and change.action == "create" else "items"
    try:
        now = writer.read(change.key, kind)
        if "name" in details:
            added = {one.lower() for one in details["added"]}
            rest = [one for one in now.data.get(details["name"]) or () if _value(one).lower() not in added]
            writer.change(change.key, now.version, {details["name"]: rest})
        elif change.action == "create":
            pushed = Records.read(folder.path / PUSHED, key="key").by_key.values()
            known = next((one for one in pushed if one.get("zotero") == change.key), None)
            if known is not None and kind == "items" and told_by(now.data) != known["told"]:
                raise ChangedError(change.key)
            writer.delete(change.key, now.version, kind)
        else:
            if any(now.data.get(name) != value for name, value in details["after"].items()):
                raise ChangedError(change.key)
            writer.change(change.key, now.version, details["before"])
    except GoneError:
        return
    except ChangedError as error:
        raise InputError(f"{change.title} was edited in Zotero since; change it there.", field="number") from error


def _shown(item: Mapping[str, Any], name: str, value: Any) -> str:
    told = [
        ", ".join(creator_names(one)) if isinstance(one, list) else str(one or "") for one in (item.get(name), value)
    ]
    return f"{name} “{told[0][:100]}” to “{told[1][:100]}”"


def _of_item(item: Mapping[str, Any], name: str, value: Any) -> str:
    return f"{item.get('title')}: {_shown(item, name, value)}"


def _values(data: Mapping[str, Any], name: str) -> list[str]:
    return [_value(one) for one in data.get(name) or ()]


def _value(one: Any) -> str:
    return str(one["tag"]) if isinstance(one, Mapping) else str(one)


def _is_named(one: Mapping[str, Any], name: str) -> bool:
    return str(one.get("name")).lower() == name.lower() and not one.get("parentCollection")


def _hash(told: Any) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
