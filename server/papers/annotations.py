"""Annotations of papers: tags, notes, stars, reading states and highlights, as they are stored, listed and exported."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Any, Self

from papergraph import cypher
from papergraph.database import Database
from papergraph.ingest.sources.editorial import Notice, decisive
from papergraph.records import Id, Record, described
from papergraph.server.graph.lists import Place
from papergraph.server.papers.find import ListedPaper, line_boxes_of
from papergraph.server.papers.regions import regions_of
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

SIDES = 5
"""Numbers of a box: its page and four edges."""


class AnnotationKind(StrEnum):
    """Kind of an annotation."""

    TAG = "tag"
    NOTE = "note"
    STAR = "star"
    STATE = "state"
    HIGHLIGHT = "highlight"


class ReadingState(StrEnum):
    """Reading state of a paper."""

    TO_READ = "to-read"
    READING = "reading"
    READ = "read"


class Colour(StrEnum):
    """Colour of a highlight."""

    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"
    PINK = "pink"
    PURPLE = "purple"


@dataclass(frozen=True)
class Annotation(Record):
    """What a reader added to a paper: a tag, a note, a star, a reading state or a highlight with a comment."""

    id: Annotated[Id, described("Id of the annotation.")]
    paper_id: Annotated[Id, described("Id of the paper.")]
    paper_title: Annotated[str, described("Title of the paper.")]
    collection: Annotated[str, described("Collection of the paper.")]
    kind: Annotated[AnnotationKind, described("Kind of the annotation.")]
    text: Annotated[str, described("Name of a tag, text of a note, comment of a highlight, or reading state.")]
    shared: Annotated[bool, described("True if everybody who reads the collection sees it.")]
    is_mine: Annotated[bool, described("True if the caller made it.")]
    can_change: Annotated[bool, described("True if the caller may change it.")]
    author: Annotated[str | None, described("Name of the key that made it, if any.")]
    created_at: Annotated[datetime, described("Time when it was made.")]
    changed_at: Annotated[datetime, described("Time of its last change.")]
    colour: Annotated[Colour | None, described("Colour of a highlight.")]
    quote: Annotated[str | None, described("Marked words of a highlight.")]
    prefix: Annotated[str | None, described("Words before the marked ones.")]
    suffix: Annotated[str | None, described("Words after the marked ones.")]
    start_char: Annotated[
        int | None, described("First character in the text of the paper; null if it lacks the words.")
    ]
    end_char: Annotated[int | None, described("Character after the last one.")]
    boxes: Annotated[
        tuple[tuple[float, ...], ...],
        described("Rectangles of a highlight: page, left, upper, right and lower edge, as shares of the page."),
    ]
    is_orphan: Annotated[bool, described("True for a highlight whose words are no longer in the paper.")]
    paper_status: Annotated[
        str | None, described("Editorial status of the paper now: retracted, concern, corrected or reinstated.")
    ] = None
    paper_notice: Annotated[
        str | None, described("Its deciding notice, as: status | day | source | DOI of the notice | reason.")
    ] = None

    @classmethod
    def of(cls, record: Mapping[str, Any], *, owner: str | None, is_admin: bool) -> Self:
        """Return an annotation from a record of ``annotations/find``, as a caller sees it."""
        stored = record["annotation"]
        is_mine = owner is None or stored["owner"] == owner
        kind, boxes = AnnotationKind(stored["kind"]), stored.get("boxes") or []
        notice = decisive(map(Notice.read, record["notices"]))
        return cls(
            id=stored["id"],
            paper_id=record["paper_id"],
            paper_title=record["title"],
            collection=stored["collection"],
            kind=kind,
            text=stored["text"],
            shared=record["is_shared"],
            is_mine=is_mine,
            can_change=is_mine or is_admin,
            author=record["author"],
            created_at=stored["createdAt"].to_native(),
            changed_at=stored["changedAt"].to_native(),
            colour=None if stored.get("colour") is None else Colour(stored["colour"]),
            quote=stored.get("quote"),
            prefix=stored.get("prefix"),
            suffix=stored.get("suffix"),
            start_char=stored.get("startChar"),
            end_char=stored.get("endChar"),
            boxes=tuple(tuple(boxes[at : at + SIDES]) for at in range(0, len(boxes), SIDES)),
            is_orphan=kind is AnnotationKind.HIGHLIGHT and stored.get("startChar") is None,
            paper_status=record["status"],
            paper_notice=None if notice is None else str(notice),
        )


@dataclass(frozen=True)
class AnnotationQuery:
    """Query for annotations: of papers, by ids, or of a collection.

    Attributes:
        collection: Collection, where neither papers nor ids are given.
        papers: Ids of papers.
        ids: Ids of annotations.
        kinds: Kinds; None for all.
        tag: Name of a tag, in any case.
        text: Words that must all occur in the text, the quote or the title of the paper, ignoring case.
    """

    collection: str
    papers: Sequence[str] | None = None
    ids: Sequence[str] | None = None
    kinds: Sequence[AnnotationKind] | None = None
    tag: str | None = None
    text: str = ""


@dataclass(frozen=True)
class StoredAnnotation:
    """An annotation as the graph has it: ``doubles`` are others that say the same of the paper."""

    record: Mapping[str, Any]

    @property
    def ids(self) -> list[str]:
        """Its id and those of its doubles."""
        return [self.record["annotation"]["id"], *self.record["doubles"]]


async def find_annotations(
    database: Database,
    query: AnnotationQuery,
    *,
    owner: str | None,
    after: Place = (),
    limit: int = 100,
    collections: AllowedCollections = None,
) -> list[StoredAnnotation]:
    """Return at most ``limit`` annotations that a reader may see: newest first; of papers in the order of their text.

    Args:
        database: The store.
        query: Which annotations.
        owner: Account whose private annotations are included beside shared ones; None for those of all.
        after: Place of the last annotation of the page before.
        limit: Number of annotations.
        collections: Allowed collections; None for all.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    looked_in = within(query.collection, collections)
    values = parameters_of(query, owner=owner, limit=limit) | {
        "collection": looked_in,
        "collections": None if collections is None else list(collections),
        "after": list(after),
    }
    found = await database.read(cypher.load("annotations/find"), **values)
    if not found and query.papers is None and query.ids is None:
        await refuse_unknown_collection(database, looked_in, asked=query.collection)
    return [StoredAnnotation(record) for record in found]


def parameters_of(query: AnnotationQuery, *, owner: str | None, limit: int) -> dict[str, Any]:
    """Return the parameters of ``annotations/find`` for the first annotations of a query, in all collections."""
    return {
        "papers": None if query.papers is None else list(query.papers),
        "ids": None if query.ids is None else list(query.ids),
        "collection": query.collection,
        "collections": None,
        "owner": owner,
        "kinds": None if query.kinds is None else [one.value for one in query.kinds],
        "tag": None if query.tag is None else query.tag.lower(),
        "words": query.text.lower().split(),
        "after": [],
        "limit": limit,
    }


async def with_boxes(database: Database, found: Sequence[Annotation]) -> list[Annotation]:
    """Return annotations with the rectangles of their words on the pages; those drawn by hand stay where words lack.

    Raises:
        DatabaseError: Neo4j failed.
    """
    papers = list({one.paper_id for one in found if one.start_char is not None})
    lines = dict(zip(papers, await line_boxes_of(database, papers), strict=True)) if papers else {}
    return [_placed(one, lines.get(one.paper_id, "")) for one in found]


def _placed(one: Annotation, lines: str) -> Annotation:
    if one.start_char is None or one.end_char is None or not lines:
        return one
    boxes = tuple(tuple(map(float, box)) for box in regions_of(lines, one.start_char, one.end_char))
    return replace(one, boxes=boxes or one.boxes)


# Annotations as Markdown, and as keywords and notes of bibliographies


def to_markdown(found: Iterable[Annotation], *, title: str) -> str:
    """Return annotations as Markdown: by paper, tags and state first, then notes, then highlights in reading order."""
    lines = [f"# {title}", ""]
    ordered = sorted(found, key=lambda one: (one.paper_title, one.paper_id))
    for _, group in groupby(ordered, key=lambda one: one.paper_id):
        of_paper = list(group)
        lines += [f"## {of_paper[0].paper_title}", "", *_header(of_paper)]
        for one in of_paper:
            if one.kind is AnnotationKind.NOTE:
                lines += [one.text, ""]
        for one in sorted(of_paper, key=lambda one: (one.start_char is None, one.start_char or 0)):
            if one.kind is AnnotationKind.HIGHLIGHT:
                lines += _highlight(one)
    return "\n".join(lines).rstrip() + "\n"


def _header(of_paper: Sequence[Annotation]) -> list[str]:
    tags = sorted({one.text for one in of_paper if one.kind is AnnotationKind.TAG}, key=str.lower)
    told = [warning] if (warning := warning_of(of_paper[0].paper_notice)) else []
    told += ["Starred."] * any(one.kind is AnnotationKind.STAR for one in of_paper)
    told += [f"State: {one.text}." for one in of_paper if one.kind is AnnotationKind.STATE]
    told += [f"Tags: {', '.join(tags)}."] if tags else []
    return [" ".join(told), ""] if told else []


def warning_of(notice: str | None) -> str:
    """Return the status of a paper, such as ``RETRACTED (2024-01-31, crossref).``; empty without a notice."""
    if notice is None:
        return ""
    one = Notice.read(notice)
    return f"{one.status.upper()} ({', '.join(filter(None, (one.date, one.source)))})."


def _highlight(one: Annotation) -> list[str]:
    page = f"page {int(one.boxes[0][0])}" if one.boxes else ""
    lost = "no longer in the paper" if one.is_orphan else ""
    about = ", ".join(filter(None, (page, lost)))
    quote = " ".join((one.quote or "").split())
    return [f"> {quote}{f' ({about})' if about else ''}", "", *([one.text, ""] if one.text else [])]


def with_notes(paper: ListedPaper, found: Sequence[Annotation]) -> ListedPaper:
    """Return a paper with its tags as keywords and its notes and highlights as notes, for bibliographies."""
    tags = sorted({one.text for one in found if one.kind is AnnotationKind.TAG}, key=str.lower)
    notes = [one.text for one in found if one.kind is AnnotationKind.NOTE]
    quotes = [one for one in found if one.kind is AnnotationKind.HIGHLIGHT]
    notes += [" ".join(f"“{one.quote}” {one.text}".split()) for one in quotes]
    return replace(paper, tags=tuple(tags), notes=tuple(notes))
