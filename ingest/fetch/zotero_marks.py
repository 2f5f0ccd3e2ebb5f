"""Tags, notes, highlights and collections of a Zotero library, as they become annotations of papers.

Source: the schema of zotero/zotero and the page of zotero.org on annotations; a position is JSON such as
``{"pageIndex": 6, "rects": [[x1, y1, x2, y2]]}``, in points of the PDF's own coordinates.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from lxml import etree, html

OURS = "papergraph"
"""Tag of what papergraph wrote into Zotero; notes and highlights with it are not read back."""

AUTOMATIC = 1
"""Type of a tag that came with an item, such as a publisher's keyword; a person made the others."""
MARKED = frozenset({"highlight", "underline"})
COLOURS: Mapping[str, tuple[str, ...]] = {
    "yellow": ("#ffd400", "#f19837", "#aaaaaa"),
    "green": ("#5fb236",),
    "blue": ("#2ea8e5",),
    "pink": ("#ff6666", "#e56eee"),
    "purple": ("#a28ae5",),
}
"""Colours of highlights, with those of Zotero's palette that become them; the first is written to Zotero."""
BLOCKS = frozenset({"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "br", "tr", "pre"})
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
SIDES = 4


@dataclass(frozen=True)
class Mark:
    """A tag, note or highlight of an item.

    Attributes:
        key: Key of the note or annotation; of a tag, that of the item and the tag.
        kind: ``tag``, ``note`` or ``highlight``.
        item: Key of the item, or of a file without one.
        attachment: Key of the file of a highlight.
        text: Name of a tag, text of a note, comment of a highlight.
        quote: Words of a highlight.
        colour: Colour of a highlight.
        page: Page of a highlight, from 1; 0 if unknown.
        rects: Its rectangles in points: left, lower, right and upper edge.
    """

    key: str
    kind: str
    item: str
    text: str
    attachment: str = ""
    quote: str = ""
    colour: str = ""
    page: int = 0
    rects: tuple[tuple[float, ...], ...] = ()

    def data(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Return the mark of :meth:`data`."""
        return cls(**{**data, "rects": tuple(tuple(one) for one in data["rects"])})


def marks_of(items: Sequence[Mapping[str, Any]], collections: Iterable[Mapping[str, Any]]) -> list[Mark]:
    """Return the tags, notes and highlights of items, with their collections as tags, in order of their keys.

    Left out are drawings and areas without words, notes without an item, and what papergraph wrote.

    Args:
        items: Fields of all items, attachments, notes and annotations that are not in the trash.
        collections: Fields of the collections.
    """
    by_key = {str(one["key"]): one for one in items}
    paths = paths_of(collections)
    found: dict[str, Mark] = {}
    for one in items:
        for mark in _marks(one, by_key, paths):
            found.setdefault(mark.key, mark)
    return [found[key] for key in sorted(found)]


def paths_of(collections: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the path of each collection by its key, such as ``Oceans/Tides``."""
    by_key = {str(one["key"]): one for one in collections}

    def names(key: str) -> Iterator[str]:
        seen = set[str]()
        while key in by_key and key not in seen:
            seen.add(key)
            yield str(by_key[key].get("name") or key)
            key = str(by_key[key].get("parentCollection") or "")

    return {key: "/".join(reversed(list(names(key)))) for key in by_key}


def has_manual_tag(item: Mapping[str, Any], name: str) -> bool:
    """Say whether a person, or papergraph, gave an item this tag."""
    return any(tag == name for tag in manual_tags(item))


def manual_tags(item: Mapping[str, Any]) -> list[str]:
    """Return the tags of an item that did not come with it."""
    tags = [one for one in item.get("tags") or () if isinstance(one, Mapping)]
    return [str(one["tag"]) for one in tags if one.get("tag") and one.get("type", 0) != AUTOMATIC]


def colour_of(written: str) -> str:
    """Return the colour of a highlight that is nearest to a colour of Zotero, such as ``#ffd400``."""
    wanted = _rgb(written)
    nearest = ((sum((a - b) ** 2 for a, b in zip(wanted, _rgb(one), strict=True)), name) for name, one in _palette())
    return min(nearest)[1]


def text_of_note(written: str) -> str:
    """Return the text of a note in HTML, a line for each paragraph."""
    if not written.strip():
        return ""
    try:
        root = html.fragment_fromstring(written, create_parent="div")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    parts: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if element.tag in BLOCKS:
            parts.append("\n")
        if event == "start":
            parts += ["- "] * (element.tag == "li") + [element.text or ""]
        else:
            parts.append(element.tail or "")
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return "\n".join(line for line in lines if line not in ("", "-"))


def _marks(one: Mapping[str, Any], by_key: Mapping[str, Mapping[str, Any]], paths: Mapping[str, str]) -> Iterator[Mark]:
    key, parent = str(one["key"]), str(one.get("parentItem") or "")
    match one.get("itemType"):
        case "note":
            text = text_of_note(str(one.get("note") or ""))
            if parent in by_key and text and not has_manual_tag(one, OURS):
                yield Mark(key, "note", parent, text)
        case "annotation":
            file = by_key.get(parent)
            is_shown = file is not None and file.get("parentItem") in (None, False, "", *by_key)
            if file is not None and is_shown and not has_manual_tag(one, OURS):
                yield from _annotation(one, file)
        case "attachment" if parent:
            return
        case _:
            tags = [*manual_tags(one), *(paths[name] for name in one.get("collections") or () if name in paths)]
            for tag in tags:
                name = " ".join(tag.replace(",", " ").split())
                if name and name != OURS:
                    yield Mark(f"{key} {name.lower()}", "tag", key, name)


def _annotation(one: Mapping[str, Any], file: Mapping[str, Any]) -> Iterator[Mark]:
    key, attachment = str(one["key"]), str(file["key"])
    item = str(file.get("parentItem") or attachment)
    comment, quote = (" ".join(str(one.get(f"annotation{name}") or "").split()) for name in ("Comment", "Text"))
    page, rects = position_of(one.get("annotationPosition"))
    if one.get("annotationType") in MARKED and quote:
        colour = colour_of(str(one.get("annotationColor") or ""))
        yield Mark(key, "highlight", item, comment, attachment, quote, colour, page, rects)
    elif comment:
        label = str(one.get("annotationPageLabel") or page or "")
        yield Mark(key, "note", item, f"Page {label}: {comment}" if label else comment)


def position_of(written: Any) -> tuple[int, tuple[tuple[float, ...], ...]]:
    """Return the page, from 1, and the rectangles of an annotation's position; 0 and none if it is malformed."""
    try:
        position = json.loads(written) if isinstance(written, str) else written
        page = int(position["pageIndex"]) + 1
        rects = tuple(tuple(float(edge) for edge in rect) for rect in position.get("rects") or ())
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0, ()
    return max(0, page), tuple(rect for rect in rects if len(rect) == SIDES)


def rgb_of(colour: str) -> tuple[float, float, float]:
    """Return a colour of highlights as Zotero shows it: red, green and blue from 0 to 1."""
    red, green, blue = (part / 255 for part in _rgb(COLOURS[colour][0]))
    return red, green, blue


def _palette() -> Iterator[tuple[str, str]]:
    return ((name, one) for name, written in COLOURS.items() for one in written)


def _rgb(written: str) -> tuple[int, ...]:
    if not COLOUR.fullmatch(written):
        return 255, 212, 0  # yellow, as Zotero marks by default
    return tuple(int(written[at : at + 2], 16) for at in (1, 3, 5))
