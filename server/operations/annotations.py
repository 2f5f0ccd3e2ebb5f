"""Operations on annotations: make, change, delete and list tags, notes, stars, reading states and highlights.

An annotation belongs to the account that made it, and is private unless it is shared with the collection. Its owner
and administrators change it. Callers without a key are one person, who owns the store and sees all.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import AccessError, ConflictError, InputError, NotFoundError
from papergraph.ingest.fetch.zotero_marks import rgb_of
from papergraph.ingest.graph.annotations import read_text
from papergraph.ingest.originals import Originals
from papergraph.ingest.parsers.pdf.annotated import Box, PdfMark, annotate_in_child
from papergraph.ingest.parsers.sandbox import RefusedError
from papergraph.neo4j_errors import Transaction
from papergraph.records import Id, Record, described
from papergraph.requests import request
from papergraph.schema.ids import sha256
from papergraph.schema.records import Paper
from papergraph.server.auth.access import Principal
from papergraph.server.graph.lists import Place
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.papers.annotations import (
    SIDES,
    Annotation,
    AnnotationKind,
    AnnotationQuery,
    Colour,
    ReadingState,
    StoredAnnotation,
    find_annotations,
    parameters_of,
    to_markdown,
    with_boxes,
    with_notes,
)
from papergraph.server.papers.find import ListedPaper
from papergraph.server.papers.records import ExportedFile

MOST_TAG_CHARS, MOST_TEXT_CHARS, MOST_QUOTE_CHARS, MOST_CONTEXT_CHARS, MOST_BOXES = 100, 20_000, 10_000, 100, 200
MOST_EXPORTED = 10_000


@request(kw_only=True)
class NewAnnotation:
    """Annotation to make; one that the paper has from the caller already is kept, in a new colour."""

    papers: Annotated[
        list[str], described("Ids of 1 to 100 papers; one for a highlight.", min_length=1, max_length=100)
    ]
    kind: Annotated[AnnotationKind, described("Kind of the annotation.")]
    text: Annotated[
        str,
        described(
            "Name of a tag, text of a note, comment of a highlight, or to-read, reading or read.", max_length=20_000
        ),
    ] = ""
    shared: Annotated[bool, described("True to share it with the collection.")] = False
    colour: Annotated[Colour, described("Colour of a highlight.")] = Colour.YELLOW
    quote: Annotated[str, described("Words that a highlight marks.", max_length=MOST_QUOTE_CHARS)] = ""
    prefix: Annotated[str, described("Words before, which tell equal quotes apart.", max_length=10_000)] = ""
    suffix: Annotated[str, described("Words after.", max_length=10_000)] = ""
    start_char: Annotated[int | None, described("Place in the text near which the words stand.", ge=0)] = None
    boxes: Annotated[
        list[list[float]] | None,
        described("Rectangles: page, left, upper, right, lower edge as shares of the page.", max_length=MOST_BOXES),
    ] = None


@request(kw_only=True)
class AnnotationChange:
    """Change of an annotation; null leaves a value as it is."""

    text: Annotated[str | None, described("New text.", max_length=MOST_TEXT_CHARS)] = None
    colour: Annotated[Colour | None, described("New colour of a highlight.")] = None
    shared: Annotated[bool | None, described("True to share it, false to make it private.")] = None
    seen: Annotated[
        datetime | None, described("changedAt as the caller read it; a later change is a conflict then.")
    ] = None


@dataclass(frozen=True)
class DeletedAnnotations(Record):
    """Annotations that were deleted."""

    ids: Annotated[tuple[Id, ...], described("Their ids.")]


async def annotate(
    database: Database, principal: Principal, wanted: NewAnnotation, *, id: str | None = None
) -> list[Annotation]:
    """Annotate papers, and return an annotation for each.

    Args:
        database: A prepared store.
        principal: The caller, who owns them.
        wanted: What to make.
        id: Id of a note or highlight that another program keeps; None for a random one.

    Raises:
        InputError: The text is missing or too long, the words are not in the paper, or a value is invalid.
        NotFoundError: A paper is missing or forbidden; nothing was written.
        DatabaseError: Neo4j failed.
    """
    text, now = checked_text(wanted.kind, wanted.text), datetime.now(UTC)
    ids = list(dict.fromkeys(wanted.papers))
    reached = None if principal.collections is None else list(principal.collections)
    records = await database.read(cypher.load("annotations/sources"), ids=ids, collections=reached)
    sources = {record["paper_id"]: record for record in records}
    if missing := [one for one in ids if one not in sources]:
        raise NotFoundError("paper with id", missing[0][:100], field="papers")
    marked = await _marked(database, wanted, ids) if wanted.kind is AnnotationKind.HIGHLIGHT else {}
    rows, same = [], await _same(database, principal, wanted.kind, text, marked, ids) if id is None else {}
    for paper in ids:
        source = sources[paper]
        values = {
            **marked,
            "id": id or secrets.token_hex(32),
            "collection": source["collection"],
            "kind": wanted.kind.value,
            "owner": principal.owner,
            "text": text,
            "createdAt": now,
            "changedAt": now,
        }
        stands = same.get(paper)
        if stands is not None:
            values |= {name: stands.record["annotation"][name] for name in ("id", "createdAt")}
        elif wanted.kind in (AnnotationKind.TAG, AnnotationKind.STAR, AnnotationKind.STATE):
            name = text.lower() if wanted.kind is AnnotationKind.TAG else ""
            values["id"] = sha256("Annotation", source["source"], principal.owner, wanted.kind.value, name)
        rows.append(row_of(stands.record["source"] if stands else source["source"], values, shared=wanted.shared))
    written = await database.run_alone(cypher.load("annotations/write"), rows=rows)
    if len(written) < len(rows):  # a paper was deleted meanwhile
        raise NotFoundError("paper with id", ids[0], field="papers")
    return await _by_id(database, principal, [row["properties"]["id"] for row in rows])


async def change_annotation(database: Database, principal: Principal, id: str, change: AnnotationChange) -> Annotation:
    """Change an annotation and return it.

    Raises:
        NotFoundError: It is missing, or private and of another account.
        AccessError: It belongs to another account.
        ConflictError: It was changed after it was seen.
        InputError: The text is missing or too long.
        DatabaseError: Neo4j failed.
    """
    (stored,) = await _changeable(database, principal, [id])

    async def write(transaction: Transaction) -> None:
        held = await transaction.run(cypher.load("annotations/hold"), source=stored.record["source"], id=id)
        if not held:
            raise _missing(id)
        values, is_shared = dict(held[0]["annotation"]), held[0]["is_shared"]
        if change.seen is not None and values["changedAt"].to_native() != change.seen:
            raise ConflictError("The annotation was changed meanwhile. Read it again.", field="seen")
        if change.text is not None:
            values["text"] = checked_text(AnnotationKind(values["kind"]), change.text)
        if change.colour is not None and values["kind"] == AnnotationKind.HIGHLIGHT:
            values["colour"] = change.colour.value
        values["changedAt"] = datetime.now(UTC)
        shared = is_shared if change.shared is None else change.shared
        row = row_of(stored.record["source"], values, shared=shared)
        await transaction.run(cypher.load("annotations/write"), rows=[row])

    await database.transact("annotations/write", write)
    (changed,) = await _by_id(database, principal, [id])
    return changed


async def delete_annotations(database: Database, principal: Principal, ids: Sequence[str]) -> DeletedAnnotations:
    """Delete annotations, each with its doubles.

    Raises:
        InputError: There are no ids, or more than 100.
        NotFoundError: One is missing, or private and of another account; nothing was deleted.
        AccessError: One belongs to another account; nothing was deleted.
        DatabaseError: Neo4j failed.
    """
    if not 1 <= len(ids) <= MAX_PAGE:
        raise InputError(f"Pass 1 to {MAX_PAGE} ids, not {len(ids)}.", field="ids")
    gone = {
        id for one in await _changeable(database, principal, ids) for id in await _doubles(database, principal, one)
    }
    await database.run_alone(cypher.load("annotations/delete"), ids=sorted(gone))
    return DeletedAnnotations(tuple(dict.fromkeys(ids)))


async def list_annotations(
    database: Database, principal: Principal, query: AnnotationQuery, *, after: str | None = None, first: int = 20
) -> list[Annotation]:
    """Return annotations that the caller may see: newest first; of papers in the order of their text.

    Args:
        database: A prepared store.
        principal: The caller.
        query: Which annotations.
        after: Id of the last annotation of the page before.
        first: Number of annotations.

    Raises:
        NotFoundError: There is no such collection, or no annotation with the id ``after``.
        DatabaseError: Neo4j failed.
    """
    place: Place = ()
    if after is not None:
        last = await _find(database, principal, AnnotationQuery(query.collection, ids=[after]))
        if not last:
            raise _missing(after)
        kept = last[0].record["annotation"]
        start = kept.get("startChar")
        place = (-1 if start is None else start, after) if query.papers else (last[0].record["place"][0], after)
    found = await _find(database, principal, query, after=place, limit=first)
    return await with_boxes(database, _seen(principal, found))


async def export_annotations(
    database: Database, principal: Principal, query: AnnotationQuery, *, tag: str | None = None
) -> ExportedFile:
    """Return up to 10,000 annotations as a Markdown file; with a tag, those of papers that have it.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    found = await with_boxes(database, _seen(principal, await _find(database, principal, query, limit=MOST_EXPORTED)))
    tagged = {
        one.paper_id for one in found if one.kind is AnnotationKind.TAG and one.text.lower() == (tag or "").lower()
    }
    shown = [one for one in found if tag is None or one.paper_id in tagged]
    name = f"{query.collection}-notes"
    return ExportedFile(f"{name}.md", to_markdown(shown, title=f"Notes on {query.collection}"))


async def annotated_pdf(database: Database, principal: Principal, originals: Originals | None, paper: Paper) -> bytes:
    """Return the file of a paper with the notes and highlights that the caller sees, as annotations of the PDF.

    Raises:
        NotFoundError: The paper has no kept PDF, or it cannot be written.
        DatabaseError: Neo4j failed.
    """
    place = originals.find(paper.content_hash) if originals and paper.format == "pdf" else None
    if place is None:
        raise NotFoundError("PDF of paper", paper.id, field="id")
    kinds = [AnnotationKind.NOTE, AnnotationKind.HIGHLIGHT]
    query = AnnotationQuery(paper.collection, [paper.id], kinds=kinds)
    seen = _seen(principal, await _find(database, principal, query, limit=MOST_EXPORTED))
    marks = [
        PdfMark(
            one.id,
            one.text,
            one.author or "",
            one.changed_at.isoformat(),
            rgb_of(one.colour or Colour.YELLOW),
            _boxes(one),
        )
        for one in await with_boxes(database, seen)
        if one.boxes or one.kind is AnnotationKind.NOTE
    ]
    try:
        return await asyncio.to_thread(annotate_in_child, await asyncio.to_thread(place.read_bytes), marks)
    except RefusedError as error:
        raise NotFoundError("PDF of paper", paper.id, field="id") from error


def _boxes(one: Annotation) -> tuple[Box, ...]:
    return tuple((page, left, upper, right, lower) for page, left, upper, right, lower in one.boxes)


async def with_annotations(
    database: Database, principal: Principal, papers: Sequence[ListedPaper]
) -> list[ListedPaper]:
    """Return papers of one collection with the caller's view of their tags, and of notes and highlights as notes.

    Raises:
        DatabaseError: Neo4j failed.
    """
    query = AnnotationQuery(principal.default_collection, papers=[one.paper.id for one in papers])
    by_paper: dict[str, list[Annotation]] = defaultdict(list)
    for one in _seen(principal, await _find(database, principal, query, limit=MOST_EXPORTED)):
        by_paper[one.paper_id].append(one)
    return [with_notes(paper, by_paper[paper.paper.id]) for paper in papers]


async def copy_annotations(
    database: Database, principal: Principal, copies: Mapping[str, str], *, of_all: bool = False
) -> int:
    """Copy annotations to copies of papers, and return their number; one that was copied before stays as it is.

    Copied are those that the caller sees: shared ones, and private ones of the account.

    Args:
        database: A prepared store.
        principal: The caller.
        copies: Ids of the copies by those of the papers, at most 100.
        of_all: True to copy private ones of other accounts, too; they stay private.

    Raises:
        InputError: There are too many to copy those of all accounts.
        DatabaseError: Neo4j failed.
    """
    sources = await database.read(cypher.load("annotations/sources"), ids=list(copies.values()), collections=None)
    target_of = {record["paper_id"]: record for record in sources}
    query = AnnotationQuery(principal.default_collection, papers=list(copies))
    rows: dict[str, dict[str, Any]] = {}
    owner = None if of_all else principal.viewer
    found = await find_annotations(database, query, owner=owner, limit=MOST_EXPORTED, collections=principal.collections)
    if of_all and len(found) == MOST_EXPORTED:
        raise InputError("These papers have too many annotations. Move fewer papers at once.", field="ids")
    for one in found:
        target = target_of.get(copies[one.record["paper_id"]])
        if target is not None:
            rows |= _copy(one, target)
    there = await find_annotations(
        database, replace(query, papers=None, ids=list(rows)), owner=None, limit=len(rows) or 1
    )
    for one in there:
        rows.pop(one.ids[0], None)
    if rows:
        await database.run_alone(cypher.load("annotations/write"), rows=list(rows.values()))
    return len(rows)


async def copy_late_annotations(transaction: Transaction, paper_id: str, *, copy_id: str) -> None:
    """Copy annotations that were made after the others of a paper were copied, before the paper is deleted.

    Its sources are locked, so that no more are made.
    """
    targets = await transaction.run(cypher.load("annotations/sources"), ids=[copy_id], collections=None)
    query = AnnotationQuery("", papers=[paper_id])
    find = cypher.load("annotations/find")
    found = await transaction.run(find, **parameters_of(query, owner=None, limit=MOST_EXPORTED))
    rows = {id: row for one in found for target in targets for id, row in _copy(StoredAnnotation(one), target).items()}
    known = AnnotationQuery("", ids=list(rows))
    for one in await transaction.run(find, **parameters_of(known, owner=None, limit=len(rows) or 1)):
        rows.pop(one["annotation"]["id"], None)
    if rows:
        await transaction.run(cypher.load("annotations/write"), rows=list(rows.values()))


def _copy(one: StoredAnnotation, target: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a row of ``annotations/write`` for a copy, by its id."""
    id = sha256("Copy of an annotation", one.ids[0], target["source"])
    values = {**one.record["annotation"], "id": id, "collection": target["collection"]}
    return {id: row_of(target["source"], values, shared=one.record["is_shared"])}


async def list_tags(database: Database, principal: Principal, collection: str, *, first: int) -> list[tuple[str, int]]:
    """Return the tags of a collection that the caller may see with their numbers of papers, most frequent first.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(
        cypher.load("annotations/tags"), collection=collection, owner=principal.viewer, limit=first
    )
    return [(record["tag"], record["n_papers"]) for record in records]


async def _find(
    database: Database, principal: Principal, query: AnnotationQuery, *, after: Place = (), limit: int = 1000
) -> list[StoredAnnotation]:
    return await find_annotations(
        database, query, owner=principal.viewer, after=after, limit=limit, collections=principal.collections
    )


def _seen(principal: Principal, found: Sequence[StoredAnnotation]) -> list[Annotation]:
    return [Annotation.of(one.record, owner=principal.viewer, is_admin=principal.is_admin) for one in found]


async def _by_id(database: Database, principal: Principal, ids: Sequence[str]) -> list[Annotation]:
    found = await _find(database, principal, AnnotationQuery(principal.default_collection, ids=ids))
    by_id = {one.id: one for one in await with_boxes(database, _seen(principal, found))}
    return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


async def _changeable(database: Database, principal: Principal, ids: Sequence[str]) -> list[StoredAnnotation]:
    wanted = list(dict.fromkeys(ids))
    query = AnnotationQuery(principal.default_collection, ids=wanted)
    owner = None if principal.is_admin else principal.owner
    found = await find_annotations(database, query, owner=owner, limit=len(wanted), collections=principal.collections)
    there = {id for one in found for id in one.ids}
    if missing := [id for id in wanted if id not in there]:
        raise _missing(missing[0])
    if not principal.is_admin and any(one.record["annotation"]["owner"] != principal.owner for one in found):
        raise AccessError.scope("an annotation of another account", "admin")
    return found


async def _doubles(database: Database, principal: Principal, one: StoredAnnotation) -> list[str]:
    """Return the id of an annotation, and of those that say the same of its paper, as after a merge of papers."""
    kind, owner = AnnotationKind(one.record["annotation"]["kind"]), one.record["annotation"]["owner"]
    if kind in (AnnotationKind.NOTE, AnnotationKind.HIGHLIGHT):
        return one.ids
    query = AnnotationQuery(one.record["annotation"]["collection"], papers=[one.record["paper_id"]], kinds=[kind])
    found = await find_annotations(database, query, owner=owner, limit=1000, collections=principal.collections)
    return [id for other in found if set(one.ids) & set(other.ids) for id in other.ids]


async def _same(
    database: Database,
    principal: Principal,
    kind: AnnotationKind,
    text: str,
    marked: Mapping[str, Any],
    papers: Sequence[str],
) -> dict[str, StoredAnnotation]:
    """Return by paper what the caller gave to it before: this tag, the star, the state, or the same words and text.

    A request that is repeated because its answer was lost changes nothing then.
    """
    tag = text if kind is AnnotationKind.TAG else None
    query = AnnotationQuery(principal.default_collection, papers=papers, kinds=[kind], tag=tag)
    found = await find_annotations(
        database, query, owner=principal.owner, limit=MOST_EXPORTED, collections=principal.collections
    )
    mine = [one for one in found if one.record["annotation"]["owner"] == principal.owner]
    if kind in (AnnotationKind.NOTE, AnnotationKind.HIGHLIGHT):
        wanted = {"text": text} | {name: marked[name] for name in ("quote", "startChar") if name in marked}
        mine = [one for one in mine if wanted == {name: one.record["annotation"].get(name) for name in wanted}]
    return {one.record["paper_id"]: one for one in reversed(mine)}


async def _marked(database: Database, wanted: NewAnnotation, papers: Sequence[str]) -> dict[str, Any]:
    if len(papers) > 1:
        raise InputError("A highlight belongs to one paper.", field="papers")
    if not wanted.quote.strip():
        raise InputError("A highlight needs its words as quote.", field="quote")
    boxes = wanted.boxes or []
    if any(len(box) != SIDES or box[0] < 1 or not all(0 <= edge <= 1 for edge in box[1:]) for box in boxes):
        raise InputError("A box has a page from 1 and four edges from 0 to 1.", field="boxes")
    prefix, suffix = wanted.prefix[-MOST_CONTEXT_CHARS:], wanted.suffix[:MOST_CONTEXT_CHARS]
    text = await read_text(database, papers[0])
    place = text.find(wanted.quote, prefix=prefix, suffix=suffix, near=wanted.start_char)
    if place is None and not boxes:
        raise InputError("The paper does not have these words. Copy them from its text.", field="quote")
    start, end = place or (None, None)
    found = {"startChar": start, "endChar": end, "quote": wanted.quote.strip(), "prefix": prefix, "suffix": suffix}
    return found | {"colour": wanted.colour.value, "boxes": [edge for box in boxes for edge in box] or None}


def checked_text(kind: AnnotationKind, text: str) -> str:
    """Return the text of an annotation as it is stored.

    Raises:
        InputError: It is missing, too long, or no reading state.
    """
    match kind:
        case AnnotationKind.STAR:
            return ""
        case AnnotationKind.STATE:
            if text not in list(ReadingState):
                raise InputError(f"{text[:40]!r} is no state. States: {', '.join(ReadingState)}.", field="text")
            return text
        case AnnotationKind.TAG:
            tag = " ".join(text.replace(",", " ").split())
            if not 1 <= len(tag) <= MOST_TAG_CHARS:
                raise InputError(f"A tag has 1 to {MOST_TAG_CHARS} characters, without commas.", field="text")
            return tag
    if kind is AnnotationKind.NOTE and not text.strip():
        raise InputError("A note needs a text.", field="text")
    return text.strip()


def row_of(source: str, values: Mapping[str, Any], *, shared: bool) -> dict[str, Any]:
    """Return a row of ``annotations/write``: an annotation of the source with this id."""
    label, type = ("Annotation", "ANNOTATES") if shared else ("PrivateAnnotation", "ANNOTATES_PRIVATELY")
    return {"source": source, "label": label, "type": type, "properties": dict(values)}


def _missing(id: str) -> NotFoundError:
    return NotFoundError("annotation with id", id[:100], field="id")
