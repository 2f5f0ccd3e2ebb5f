"""Export of a stored paper as Markdown, whose ingestion gives the same sections.

The text is joined from chunks, which hold it literally; the offsets tell a blank from the end of a paragraph between
them. Images and sections left out of the chunks are missing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Self

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.parsers.common.markdown import read_markup
from papergraph.ingest.sources.parser import path_named
from papergraph.schema.ids import DEFAULT_COLLECTION, check_collection, possible_keys
from papergraph.schema.records import Paper
from papergraph.server.retrieval.scope import refuse_unknown_collection

DEADLINE_S = 60.0
DEEPEST_HEADING = 6
PARAGRAPH = "\n\n"
ELEMENTS = ("table", "equation", "caption")
ENDS = ".!?…:;,|"
"""Usual last characters of a paragraph."""

MARKS = re.compile(r"[\\`*_\[\]<>&#!]")
DELIMITED = ("$$", "\\[", "\\begin{")
TABLE_HEAD = re.compile(r"[^\n]*\n\s*\|?[\s:|-]*-[\s:|-]*(?:\n|\Z)")
BLOCK_MARK = re.compile(r"^([ \t]{0,3})(?=#{1,6}(?:\s|$)|=+\s*$|-+\s*$|```|~~~|<[A-Za-z/!?])", re.MULTILINE)
"""Beginnings of lines that Markdown would read as heading, code or HTML, or as the underline of a heading."""

FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}|\${2})[ \t]*\Z", re.MULTILINE)
NOT_IN_LABELS = re.compile(r"[^\w ,.:+&'#^-]")


@dataclass(frozen=True)
class Piece:
    """A chunk: characters ``start`` to ``end`` of the paper's text."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Part:
    """A section with its own pieces; ``level`` counts from 1."""

    title: str
    level: int
    kind: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Entry:
    """An entry of the list of references."""

    label: str
    text: str
    doi: str | None = None
    arxiv_id: str | None = None


@dataclass(frozen=True)
class WholePaper:
    """A paper with all of its text."""

    paper: Paper
    authors: tuple[str, ...]
    parts: tuple[Part, ...]
    references: tuple[Entry, ...]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Make it of what ``papers/whole`` returns."""
        pieces = [Piece(**piece) for part in record["sections"] for piece in part["pieces"]]
        return cls(
            Paper.of(record["paper"]),
            tuple(record["authors"]),
            tuple(
                Part(part["title"], part["level"], part["kind"], own_pieces(pieces, part["start"], part["end"]))
                for part in record["sections"]
            ),
            tuple(Entry(**entry) for entry in record["references"]),
        )


def own_pieces(pieces: Iterable[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """Return a paper's pieces within a section from ``start`` to ``end``, cut at its limits."""
    found = []
    for piece in pieces:
        first, after = max(start, piece.start), min(end, piece.end)
        text = piece.text[first - piece.start : after - piece.start]
        if first < after and (bare := text.strip()):
            first += text.index(bare)
            found.append(Piece(piece.kind, bare, first, first + len(bare)))
    return tuple(found)


async def whole_paper(database: Database, name: str, *, collection: str = DEFAULT_COLLECTION) -> WholePaper:
    """Return the paper that has a key or id, a DOI or arXiv id in any usual form, or came from a file.

    Raises:
        NotFoundError: The collection has no such paper.
        NotFoundError: There is no such collection.
        InputError: Several papers came from the file, or the collection has no valid name.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    records = await database.read(
        cypher.load("papers/whole"),
        collection=collection,
        names=possible_keys(name),
        path=path_named(name),
        limit=2,
        deadline_s=DEADLINE_S,
    )
    if not records:
        await refuse_unknown_collection(database, collection)
        raise NotFoundError(f"paper in collection {collection!r} with key, id or path", name[:200], field="name")
    if len(records) > 1:
        keys = " and ".join(record["paper"]["key"] for record in records)
        raise InputError(f"{name[:200]!r} matches several papers, such as {keys}. Pass a key.", field="name")
    return WholePaper.of(records[0])


def to_markdown(whole: WholePaper) -> str:
    """Write a paper as Markdown: a YAML block as ``papergraph ingest`` reads it, the title, then section by section.

    Tables are pipe tables, equations are enclosed in ``$$``, headings below the sixth level are of the sixth.
    References are the section of this name; a missing or empty one is added.
    """
    lines, stops = whole.paper.format == "markdown", "trim-stops" in whole.paper.cleaning
    blocks = [_front_matter(whole), _heading(whole.paper.title, 1)]
    headings = {1}
    listed = False
    for part in whole.parts:
        if part.kind != "front":
            headings.add(len(blocks))
            blocks.append(_heading(part.title, part.level + 1))
        text = list(_blocks(part.pieces, lines=lines, stops=stops))
        if part.kind == "references" and not listed:
            listed = True
            text = text or list(map(_entry, whole.references))
        blocks += text
    if whole.references and not listed:
        headings.add(len(blocks))
        blocks += [_heading("References", 2), *map(_entry, whole.references)]
    return _escape_added_headings([block + PARAGRAPH for block in blocks], headings).rstrip("\n") + "\n"


def _escape_added_headings(blocks: Sequence[str], headings: Set[int]) -> str:
    """Join ``blocks`` and escape what would be read as a heading but is in none of those numbered ``headings``.

    Such as a line that stood in a quotation and over ``---``, where the graph does not hold the end of the quotation.
    """
    text = "".join(blocks)
    starts = list(accumulate(map(len, blocks), initial=0))
    ours = {text.count("\n", 0, starts[number]) for number in headings}  # lines, as escaping moves offsets
    while True:
        found = read_markup(text, starts[1]).headings
        added = [heading for heading in found if text.count("\n", 0, heading.start) not in ours]
        if not added:
            return text
        for heading in reversed(added):
            lines = text[heading.start : heading.end].rstrip()
            marked = lines[max(lines.rfind("\n"), lines.rfind("\r")) + 1 :].lstrip(" \t")
            mark = heading.start + len(lines) - len(marked)
            text = f"{text[:mark]}\\{text[mark:]}"


def _front_matter(whole: WholePaper) -> str:
    paper = whole.paper
    values = {
        "title": paper.title,
        "authors": list(whole.authors),
        "year": paper.year,
        "doi": paper.doi,
        "arxiv": paper.arxiv_id,
        "categories": list(paper.categories),
        "license": paper.license,
        "status": " ".join(filter(None, (paper.editorial_status, paper.editorial_date))),
        "abstract": paper.abstract if _is_apart(whole) else None,
    }
    kept = {name: value for name, value in values.items() if value}
    block = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{block}---"


def _is_apart(whole: WholePaper) -> bool:
    """Say whether the abstract stands nowhere in the text, as where a source's metadata tells it."""
    words = whole.paper.abstract.split()
    texts = (" ".join(piece.text.split()) for part in whole.parts for piece in part.pieces)
    return bool(words) and not any(" ".join(words[:8]) in text for text in texts)


def _heading(title: str, level: int) -> str:
    return f"{'#' * min(level, DEEPEST_HEADING)} {_escaped(title)}".rstrip(" ")


def _escaped(title: str) -> str:
    """Return Markdown that says ``title``, with its marks escaped only if they would be read as marks."""
    heading = MarkdownIt("commonmark").parse(f"# {title}")
    says = [_words(token.children or []) for token in heading if token.type == "inline"]
    return title if says == [title] else MARKS.sub(r"\\\g<0>", title)


def _words(children: Sequence[Token]) -> str:
    return "".join(child.content if child.type in ("text", "text_special") else "\0" for child in children)


def _blocks(pieces: Iterable[Piece], *, lines: bool, stops: bool) -> Iterator[str]:
    """Yield a section's paragraphs, tables, equations and captions, made of pieces that may overlap.

    Args:
        pieces: In any order.
        lines: Whether the text is Markdown, in which the end of a line may mean something.
        stops: Whether full stops were left out at the beginning of pieces.
    """
    kind, text, reached = "", "", 0
    for piece in sorted(pieces, key=lambda piece: piece.start):
        if text and piece.end <= reached:
            continue
        joint = _joint(kind, text, piece, piece.start - reached, lines=lines, stops=stops) if text else PARAGRAPH
        if joint == PARAGRAPH:
            if text:
                yield _block(kind, text, markdown=lines)
            in_code = lines and piece.text.startswith("#") and BLOCK_MARK.match(piece.text)  # else it were a heading
            kind, text = piece.kind, "    " + piece.text if in_code else piece.text
        else:
            text += joint + piece.text[max(0, reached - piece.start) :]
        reached = piece.end
    if text:
        yield _block(kind, text, markdown=lines)


def _joint(kind: str, text: str, piece: Piece, gap: int, *, lines: bool, stops: bool) -> str:
    """Return what stood in the ``gap`` characters between a text and the next piece."""
    if gap <= 0:
        return ""
    if kind == piece.kind == "table" and not TABLE_HEAD.match(piece.text):
        return "\n"
    if kind == piece.kind == "equation" and lines and not piece.text.startswith(DELIMITED):
        return "\n"
    if gap == 1 and kind == piece.kind:
        return "\n" if lines or kind in ELEMENTS else " "
    cut_before_stop = stops and gap == 2 and kind == piece.kind and kind not in ELEMENTS and piece.text[0].isupper()
    return ". " if cut_before_stop and text[-1] not in ENDS and not FENCE.search(text) else PARAGRAPH


def _block(kind: str, text: str, *, markdown: bool) -> str:
    if kind == "equation":
        latex = re.sub(r"\n\s*\n", "\n", text)
        return latex if latex.startswith(DELIMITED) else f"$$\n{latex}\n$$"
    return text if markdown or kind == "table" else BLOCK_MARK.sub(r"\1\\", text)


def _entry(entry: Entry) -> str:
    ids = [f"doi:{entry.doi}" if entry.doi else "", f"arXiv:{entry.arxiv_id}" if entry.arxiv_id else ""]
    further = [id for id in ids if id and id.partition(":")[2].lower() not in entry.text.lower()]
    return " ".join([f"[{NOT_IN_LABELS.sub('', entry.label)}]", entry.text, *further])
