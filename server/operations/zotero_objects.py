"""Objects that papergraph makes in Zotero: notes of answers, and highlights on the pages of PDFs."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from papergraph.ingest.fetch.zotero_marks import COLOURS, OURS, has_manual_tag, position_of, text_of_note
from papergraph.ingest.parsers.line_boxes import LineBox
from papergraph.ingest.parsers.pdf.page_image import PageFrame
from papergraph.server.answers.stored import StoredAnswer
from papergraph.text.alignment import squeezed

ANSWER = re.compile(r"papergraph answer ([\w-]{1,80})")
"""Words of a note that tell which answer it has."""
SLACK_POINTS = 1.0
"""Difference of edges in points up to which two highlights are in one place."""
LONGEST_QUOTE = 7500
"""Most characters of a highlight; Zotero refuses longer ones."""

Box = Sequence[float]
"""Page from 1, then left, upper, right and lower edge as shares of the page."""


@dataclass(frozen=True)
class WantedHighlight:
    """A highlight that Zotero should have.

    Attributes:
        key: Name that stays the same: of the annotation, or of the place of a quote.
        paper: Id of the paper.
        attachment: Key of its PDF in Zotero.
        quote: The words.
        comment: Comment of a person; may be empty.
        colour: Colour, such as ``yellow``.
        boxes: Rectangles of the words.
        offset: Characters of the page before the words, by which Zotero orders highlights.
    """

    key: str
    paper: str
    attachment: str
    quote: str
    comment: str
    colour: str
    boxes: Sequence[Box]
    offset: int

    def data(self, frames: Sequence[PageFrame]) -> dict[str, Any]:
        """Return the object of Zotero; ``frames`` are those of the PDF's pages."""
        pages = [
            (int(page), list(boxes)) for page, boxes in groupby(self.boxes, key=lambda box: box[0])
        ]  # fmt: skip
        page, boxes = pages[0]
        position: dict[str, Any] = {"pageIndex": page - 1, "rects": [_rect(frames[page - 1], box) for box in boxes]}
        if len(pages) > 1 and pages[1][0] == page + 1 and page < len(frames):
            position["nextPageRects"] = [_rect(frames[page], box) for box in pages[1][1]]
        frame, top = frames[page - 1], min(box[2] for box in boxes)
        high = frame.width if frame.rotation in (90, 270) else frame.height
        return {
            "annotationType": "highlight",  # first: Zotero checks the fields after it by it
            "itemType": "annotation",
            "parentItem": self.attachment,
            "annotationText": " ".join(self.quote.split())[:LONGEST_QUOTE],
            "annotationComment": self.comment,
            "annotationColor": COLOURS[self.colour][0],
            "annotationPageLabel": str(page),
            "annotationSortIndex": f"{page - 1:05}|{min(self.offset, 999_999):06}|{min(int(top * high), 99_999):05}",
            "annotationPosition": json.dumps(position, separators=(",", ":")),
            "tags": [{"tag": OURS}],
        }


def _rect(frame: PageFrame, box: Box) -> list[float]:
    corners = frame.points(box[1], box[2]), frame.points(box[3], box[4])
    (x0, x1), (y0, y1) = (sorted(edges) for edges in zip(*corners, strict=True))
    return [round(edge, 3) for edge in (x0, y0, x1, y1)]


def offset_on_page(lines: Sequence[LineBox], page: int, start: int) -> int:
    """Return the number of characters of a page before a character of the text."""
    first = next((line.start for line in lines if line.page == page), start)
    return max(0, start - first)


def link(library: str, key: str, *, page: int | None = None, annotation: str | None = None) -> str:
    """Return the address that opens a PDF in Zotero at a page or annotation; without a page, that selects an item."""
    place = "library" if library.startswith("users/") else library
    if page is None:
        return f"zotero://select/{place}/items/{key}"
    return f"zotero://open-pdf/{place}/items/{key}?page={page}" + (f"&annotation={annotation}" if annotation else "")


def note_of(answer: StoredAnswer, links: Sequence[str | None]) -> str:
    """Return the note of an answer as HTML: question, text, and each quote with its page and address in Zotero.

    Args:
        answer: The answer.
        links: Address of the place of each citation; None where Zotero does not have the paper.
    """
    parts = [
        f"<h1>{escape(answer.asked)}</h1>",
        *(f"<p>{escape(line)}</p>" for line in (answer.text or "").split("\n")),
    ]
    seen = set[tuple[int, str]]()
    for one, address in zip(answer.citations, links, strict=True):
        if (one.number, one.quote) in seen:
            continue
        seen.add((one.number, one.quote))
        status = f" ({one.paper_status})" if one.paper_status else ""
        place = f"[{one.number}] {one.paper_title}{status}" + (f", page {one.page}" if one.page else "")
        told = f'<a href="{escape(address)}">{escape(place)}</a>' if address else escape(place)
        parts += [f"<blockquote><p>“{escape(one.quote)}”</p></blockquote>", f"<p>{told}</p>"]
    writer = f"written by {answer.model}" if answer.llm_generated else "sentences of the papers"
    day = answer.asked_at.date().isoformat()
    parts.append(
        f"<p>{escape(writer)}; each quote was compared with its paper. papergraph answer {answer.id}, {day}</p>"
    )
    return "".join(parts)


def answers_in(items: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the notes of answers among items of Zotero, by the answer's id."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in items:
        told = ANSWER.search(str(one.get("note") or "")) if one.get("itemType") == "note" else None
        if told is not None and has_manual_tag(one, OURS):
            found.setdefault(told[1], one)
    return found


def is_same_place(one: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Say whether an annotation of Zotero is the highlight ``data``: same PDF, page and words, edges within a point."""
    if one.get("itemType") != "annotation" or one.get("parentItem") != data["parentItem"]:
        return False
    (page, rects), (own_page, own) = (position_of(each.get("annotationPosition")) for each in (one, data))
    if page != own_page or len(rects) != len(own):
        return False
    near = all(abs(a - b) <= SLACK_POINTS for x, y in zip(rects, own, strict=True) for a, b in zip(x, y, strict=True))
    return near and squeezed(str(one.get("annotationText") or "")) == squeezed(data["annotationText"])


def told_by(item: Mapping[str, Any]) -> str:
    """Return what a person could have edited in a note or highlight of Zotero, as text."""
    if item.get("itemType") == "note":
        return text_of_note(str(item.get("note") or ""))
    comment, colour = (str(item.get(f"annotation{name}") or "") for name in ("Comment", "Color"))
    return f"{' '.join(comment.split())} {colour.lower()}".strip()


# Corrections of papers as fields of items


FIELDS: Mapping[str, str] = {
    "title": "title",
    "abstract": "abstractNote",
    "year": "date",
    "doi": "DOI",
    "url": "url",
    "license": "rights",
    "authors": "creators",
}
"""Fields of papers that a person can correct, with those of Zotero's items."""
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


def corrected(item: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an item that differ from corrections of its paper, as Zotero should have them.

    Args:
        item: Fields of the item; only those that its type has are corrected.
        said: Corrected fields of the paper; an emptied one is None or empty.
    """
    found: dict[str, Any] = {}
    for name, value in said.items():
        field = FIELDS.get(name)
        if field is None or field not in item:
            continue
        stored = item[field]
        if name == "authors":
            if [one for one in creator_names(stored, "author") if one] != list(value or ()):
                others = [one for one in stored if one.get("creatorType") != "author"]
                found[field] = [*map(_creator, value or ()), *others]
        elif name == "year":
            year = YEAR.search(str(stored))
            if (year[0] if year else "") != str(value or ""):
                found[field] = str(value or "")
        elif str(stored or "") != str(value or ""):
            found[field] = str(value or "")
    return found


def creator_names(creators: Iterable[Mapping[str, Any]], kind: str = "") -> list[str]:
    """Return the names of creators, or those of one kind, such as author."""
    return [
        str(one.get("name") or " ".join(filter(None, (one.get("firstName"), one.get("lastName")))))
        for one in creators
        if kind in ("", one.get("creatorType"))
    ]


def _creator(name: str) -> dict[str, str]:
    first, _, last = name.rpartition(" ")
    told = {"firstName": first, "lastName": last} if first else {"name": last}
    return {"creatorType": "author", **told}
