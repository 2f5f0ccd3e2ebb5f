"""A document's text to metadata and a section tree, with offsets into the text as it was read.

Markdown headings are found by markdown-it, so that a ``#`` in a code block is none. In plain text a heading is a line
of its own that is numbered, or one of the names that sections of papers have.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml
from markdown_it import MarkdownIt

from ingest.sources import BYTE_ORDER_MARK, SourceText
from papergraph.errors import Reason, SourceError
from schema.ids import arxiv_key, doi_key

VERSION = "2"
"""Part of the recipe: a change makes papers be parsed again."""

LONGEST_TITLE = 500
LONGEST_NAME = 200
FIRST_WORDS_CHARS = 80
MOST_AUTHORS = 5000
MAX_LEVEL = 12
LONGEST_FRONT_ABSTRACT = 3000
FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*(?:\r\n|\r|\n)((?:.*?(?:\r\n|\r|\n))??)---[ \t]*(?:\r\n|\r|\n|\Z)", re.DOTALL
)
PARAGRAPH_END = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")
LINE_END = re.compile(r"\r\n|\r|\n")
NUMBERED_HEADING = re.compile(
    r"(?P<number>(?:\d{1,2}|[A-Z](?=\.))(?:\.\d{1,2}){0,4})\.?[ \t]+(?P<title>[A-Z].{0,98}[^.,;:\s])"
)
KNOWN_HEADING = re.compile(
    r"(?:abstract|summary|introduction|background|related work|methods?|materials and methods|experiments?|results"
    r"(?: and discussion)?|discussion|conclusions?|acknowledge?ments?|references|bibliography|appendix(?: [a-z])?)",
    re.IGNORECASE,
)
KINDS = (
    ("abstract", re.compile(r"abstract|summary", re.IGNORECASE)),
    ("references", re.compile(r"references|bibliography|literature(?: cited)?|works cited", re.IGNORECASE)),
    ("acknowledgements", re.compile(r"acknowledge?ments?", re.IGNORECASE)),
    ("appendix", re.compile(r"(?:appendix|appendices|supplement(?:ary)?)\b.*", re.IGNORECASE)),
)
NUMBERS = ("tag:yaml.org,2002:float", "tag:yaml.org,2002:int", "tag:yaml.org,2002:timestamp")
YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")
HEADING_NUMBER = re.compile(r"^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})*\.?\s+")


class _FrontMatterLoader(yaml.SafeLoader):
    """Reads numbers and dates as they are written: 2401.01230 is an arXiv id, and 1.10 a title."""


_FrontMatterLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in NUMBERS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class ParsedSection:
    """A section of a document.

    Attributes:
        title: The heading; the paper's title for the text before the first heading.
        level: Depth in the tree, from 1.
        kind: front, abstract, body, references, acknowledgements or appendix.
        parent: Position of the section above it in the document's list, or None.
        start: First character of its own text, after the heading.
        end: Character after its own text: where the next heading starts.
    """

    title: str
    level: int
    kind: str
    parent: int | None
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A parsed document; ``sections`` stand in reading order."""

    key: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    categories: tuple[str, ...]
    license: str | None
    sections: tuple[ParsedSection, ...]


@dataclass(frozen=True)
class _Heading:
    title: str
    level: int
    start: int
    end: int


def parse(source: SourceText) -> Document:
    """Parse a document.

    Raises:
        SourceError: It holds no text, or its front matter cannot be read or says something that cannot be so.
    """
    metadata, start = _front_matter(source)
    headings = _markdown_headings(source.text, start) if source.markdown else _text_headings(source.text, start)
    title, headings, start = _title(source, metadata, headings, start)
    sections = tuple(_sections(source.text, headings, title, start))
    if not title and not sections:
        raise SourceError(str(source.path), Reason.EMPTY, "holds no text")
    doi, arxiv_id = _identifier(source, metadata, "doi"), _identifier(source, metadata, "arxiv")
    return Document(
        key=(doi and f"doi:{doi}") or (arxiv_id and f"arxiv:{arxiv_id}") or source.key,
        title=title,
        abstract=_string(source, metadata, "abstract") or _abstract(source.text, sections),
        authors=_strings(source, metadata, "authors"),
        year=_year(source, metadata),
        doi=doi,
        arxiv_id=arxiv_id,
        categories=_strings(source, metadata, "categories"),
        license=_string(source, metadata, "license"),
        sections=sections,
    )


def _front_matter(source: SourceText) -> tuple[dict[str, Any], int]:
    if not source.markdown or not (match := FRONT_MATTER.match(source.text)):
        return {}, len(BYTE_ORDER_MARK) if source.text.startswith(BYTE_ORDER_MARK) else 0
    try:
        metadata = yaml.load(match[1], Loader=_FrontMatterLoader)  # noqa: S506 a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _bad(source, f"the front matter is not YAML: {' '.join(str(error).split())[:200]}") from error
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        raise _bad(source, "the front matter must be a list of names and values")
    return metadata, match.end()


def _markdown_headings(text: str, start: int) -> list[_Heading]:
    lines = _line_starts(text, start)
    headings = []
    tokens = MarkdownIt("commonmark").parse(LINE_END.sub("\n", text[start:]))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.map and opening.level == 0:
            first, after = opening.map
            end = lines[after] if after < len(lines) else len(text)
            title = " ".join(_plain(inline.children or []).split())
            headings.append(_Heading(title, int(opening.tag[1]), lines[first], end))
    return headings


def _plain(children: Iterable[Any]) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else _plain(child.children or []) or child.content
        for child in children
    )


def _text_headings(text: str, start: int) -> list[_Heading]:
    headings = []
    blank_before = True
    for first, after in pairwise([*_line_starts(text, start), len(text)]):
        line = text[first:after].strip()
        if line and blank_before and _blank_line_at(text, after):
            if match := NUMBERED_HEADING.fullmatch(line):
                headings.append(_Heading(match["title"], match["number"].count(".") + 1, first, after))
            elif KNOWN_HEADING.fullmatch(line):
                headings.append(_Heading(line, 1, first, after))
        blank_before = not line
    return headings


def _blank_line_at(text: str, start: int) -> bool:
    line_end = LINE_END.search(text, start)
    return not text[start : line_end.start() if line_end else len(text)].strip()


def _line_starts(text: str, start: int) -> list[int]:
    return [start, *(match.end() for match in LINE_END.finditer(text, start))]


def _title(
    source: SourceText, metadata: dict[str, Any], headings: list[_Heading], start: int
) -> tuple[str, list[_Heading], int]:
    """Find the paper's title, and take it out of what becomes sections."""
    named = _string(source, metadata, "title")
    if named and len(named) > LONGEST_TITLE:
        raise _bad(source, f"the title is longer than {LONGEST_TITLE} characters")
    if source.markdown:
        first = headings[0] if headings else None
        if first and _is_title(first, named, headings) and not source.text[start : first.start].strip():
            return named or first.title or _first_words(source.text, first.end), headings[1:], first.end
        return named or _first_words(source.text, start), headings, start
    body = source.text[start:]
    offset = start + len(body) - len(body.lstrip())
    line_end = LINE_END.search(source.text, offset)
    end = line_end.end() if line_end else len(source.text)
    line = " ".join(source.text[offset:end].split())
    is_heading = any(heading.start <= offset < heading.end for heading in headings)
    if line_end and len(line) <= LONGEST_TITLE and not is_heading and _blank_line_at(source.text, end):
        return line, headings, end
    return _first_words(source.text, start), headings, start


def _first_words(text: str, start: int) -> str:
    """Return a title for a text that has none; made of its content, so that a copy elsewhere gets the same one."""
    words = " ".join(text[start:].split(maxsplit=FIRST_WORDS_CHARS)[:FIRST_WORDS_CHARS])
    cut = words[:FIRST_WORDS_CHARS]
    return words if words == cut else (cut.rpartition(" ")[0] or cut) + " …"


def _is_title(first: _Heading, named: str | None, headings: list[_Heading]) -> bool:
    """Say whether the first heading is the paper's title, not that of a section beside others of its level."""
    if first.level != 1 or len(first.title) > LONGEST_TITLE:
        return False
    others_of_level_1 = any(heading.level == 1 for heading in headings[1:])
    return named is None or named.casefold() == first.title.casefold() or not others_of_level_1


def _sections(text: str, headings: Sequence[_Heading], title: str, start: int) -> Iterable[ParsedSection]:
    """Yield the sections; levels are counted anew, so that a tree which skips levels has no gaps."""
    first = headings[0].start if headings else len(text)
    n_front = 0
    if text[start:first].strip():
        yield ParsedSection(title, 1, "front", None, start, first)
        n_front = 1
    open_sections: list[tuple[int, int]] = []  # (level in the document, position)
    kinds: list[str] = []
    for position, heading in enumerate(headings, start=n_front):
        while open_sections and open_sections[-1][0] >= heading.level:
            open_sections.pop()
        parent = open_sections[-1][1] if open_sections else None
        open_sections.append((heading.level, position))
        kind = _kind(heading.title)
        if kind == "body" and parent is not None:
            kind = kinds[parent - n_front]
        kinds.append(kind)
        end = headings[position - n_front + 1].start if position - n_front + 1 < len(headings) else len(text)
        yield ParsedSection(heading.title, min(len(open_sections), MAX_LEVEL), kind, parent, heading.end, end)


def _kind(heading: str) -> str:
    bare = HEADING_NUMBER.sub("", heading).strip().rstrip(":.")
    return next((kind for kind, pattern in KINDS if pattern.fullmatch(bare)), "body")


def _abstract(text: str, sections: Sequence[ParsedSection]) -> str:
    """Return the abstract's text, else the first paragraphs before any heading."""
    first = next((number for number, section in enumerate(sections) if section.kind == "abstract"), None)
    if first is not None:
        level = sections[first].level
        below = itertools.takewhile(lambda section: section.level > level, sections[first + 1 :])
        texts = (text[section.start : section.end].strip() for section in (sections[first], *below))
        return "\n\n".join(filter(None, texts))
    if not sections or sections[0].kind != "front":
        return ""
    front = text[sections[0].start : sections[0].end].strip()
    if len(front) <= LONGEST_FRONT_ABSTRACT:
        return front
    paragraphs = list(PARAGRAPH_END.finditer(front, 0, LONGEST_FRONT_ABSTRACT))
    return front[: paragraphs[-1].start()] if paragraphs else ""


def _identifier(source: SourceText, metadata: dict[str, Any], name: str) -> str | None:
    value = _string(source, metadata, name)
    if not value:
        return None
    try:
        return (doi_key if name == "doi" else arxiv_key)(value).partition(":")[2]
    except ValueError as error:
        raise _bad(source, str(error)) from error


def _year(source: SourceText, metadata: dict[str, Any]) -> int | None:
    value = metadata.get("year")
    if value is None:
        in_date = YEAR.findall(str(metadata.get("date", "")))
        return int(in_date[0]) if len(in_date) == 1 else None
    if not isinstance(value, str) or not YEAR.fullmatch(value):
        raise _bad(source, f"year {value if isinstance(value, str) else type(value).__name__:.80} is not a year")
    return int(value)


def _string(source: SourceText, metadata: dict[str, Any], name: str) -> str | None:
    value = metadata.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(source, f"{name} must be text")
    return " ".join(value.split()) or None


def _strings(source: SourceText, metadata: dict[str, Any], name: str) -> tuple[str, ...]:
    value = metadata.get(name) or ()
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list):  # as the Journal of Open Source Software has it: a name among other things
        values = [item.get("name") if isinstance(item, dict) else item for item in values]
    if not isinstance(values, list | tuple) or not all(isinstance(item, str) for item in values):
        raise _bad(source, f"{name} must be a list of names")
    cleaned = dict.fromkeys(" ".join(item.split()) for item in values if item.strip())
    if len(cleaned) > MOST_AUTHORS or any(len(item) > LONGEST_NAME for item in cleaned):
        raise _bad(source, f"{name} has more than {MOST_AUTHORS} entries, or one longer than {LONGEST_NAME} characters")
    return tuple(cleaned)


def _bad(source: SourceText, detail: str) -> SourceError:
    return SourceError(str(source.path), Reason.BAD_METADATA, detail)
