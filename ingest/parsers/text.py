"""Parser of Markdown and plain text, with offsets into the text as it was read.

In plain text a heading is a line that is numbered, or a common name of a section. A numbered first line is a heading
only if the next number continues it: it may be a title such as "12 Monkeys".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.citations import find_citations, listed_references, told_references
from papergraph.ingest.parsers.common.markdown import (
    LINE_END,
    Markup,
    apart,
    captions,
    displayed_equations,
    plain_line,
    read_markup,
)
from papergraph.ingest.parsers.document import (
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_AUTHORS,
    Document,
    Heading,
    HeadingSource,
    ParsedSection,
    abstract_section,
    first_words,
    n_solid,
    normalised,
    section_tree,
)
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.names import names_of_fields
from papergraph.schema.ids import arxiv_key, doi_key

BYTE_ORDER_MARK = "\ufeff"
LONGEST_FRONT_ABSTRACT = 3000
FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*(?:\r\n|\r|\n)((?:.*?(?:\r\n|\r|\n))??)---[ \t]*(?:\r\n|\r|\n|\Z)", re.DOTALL
)
PARAGRAPH_END = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")
NUMBERED_HEADING = re.compile(
    r"(?P<number>(?:\d{1,2}|[A-Z](?=\.))(?:\.\d{1,2}){0,4})\.?[ \t]+(?P<title>[A-Z].{0,98}[^.,;:\s])"
)
KNOWN_HEADING = re.compile(
    r"(?:abstract|summary|introduction|background|related work|methods?|materials and methods|experiments?|results"
    r"(?: and discussion)?|discussion|conclusions?|acknowledge?ments?|references|bibliography|appendix(?: [a-z])?)",
    re.IGNORECASE,
)
NUMBERS = ("tag:yaml.org,2002:float", "tag:yaml.org,2002:int", "tag:yaml.org,2002:timestamp")
YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")


class _FrontMatterLoader(yaml.SafeLoader):
    """Reads numbers and dates as they are written: 2401.01230 is an arXiv id, and 1.10 a title."""


_FrontMatterLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in NUMBERS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class _Source:
    file: RawDocument
    text: str

    @property
    def markdown(self) -> bool:
        return self.file.format == Format.MARKDOWN


def parse(file: RawDocument) -> Document:
    """Parse Markdown or plain text.

    Raises:
        SourceError: The text is not UTF-8 or is empty, or its front matter is malformed or has impossible values.
    """
    source = _Source(file, normalised(_decode(file)))
    metadata, start = _front_matter(source)
    markup = read_markup(source.text, start) if source.markdown else _text_markup(source.text, start)
    heading_source = HeadingSource.MARKUP if source.markdown else HeadingSource.KEYWORDS
    title, headings, start = _title(source, metadata, markup.headings, start)
    sections = tuple(section_tree(source.text, headings, title, start))
    if not title and not sections:
        raise SourceError(file.name, Reason.EMPTY, "holds no text")
    references = told_references(metadata.get("references")) or listed_references(
        source.text, sections, words=plain_line if source.markdown else str
    )
    doi, arxiv_id = _identifier(source, metadata, "doi"), _identifier(source, metadata, "arxiv")
    return Document(
        key=(doi and f"doi:{doi}") or (arxiv_id and f"arxiv:{arxiv_id}") or file.key,
        title=title,
        abstract=_string(source, metadata, "abstract") or _abstract(source.text, sections),
        authors=tuple(names_of_fields(_strings(source, metadata, "authors"))),
        year=_year(source, metadata),
        doi=doi,
        arxiv_id=arxiv_id,
        categories=_strings(source, metadata, "categories"),
        license=_string(source, metadata, "license"),
        text=source.text,
        format=file.format,
        sections=sections,
        heading_source=heading_source if headings else HeadingSource.NONE,
        n_body_chars=n_solid(source.text[start:])
        - sum(n_solid(source.text[heading.start : heading.end]) for heading in headings),
        elements=tuple(element for element in markup.elements if element.start >= start),
        references=references,
        cited_at=find_citations(source.text, sections, references, code=markup.code),
    )


def _decode(file: RawDocument) -> str:
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(
            file.name, Reason.NOT_TEXT, f"is not UTF-8: byte {error.start} cannot be read; convert it with iconv"
        ) from error
    if "\0" in text:
        raise SourceError(file.name, Reason.NOT_TEXT, f"is not text: there is a zero byte at {text.index(chr(0))}")
    if not text.strip().strip(BYTE_ORDER_MARK):
        raise SourceError(file.name, Reason.EMPTY, "is empty")
    return text


def _front_matter(source: _Source) -> tuple[dict[str, Any], int]:
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


def _text_markup(text: str, start: int) -> Markup:
    found = apart([*displayed_equations(text, start), *captions(text, start)])
    return Markup(_text_headings(text, start), found, [])


def _text_headings(text: str, start: int) -> list[Heading]:
    headings, numbers = [], []
    blank_before = True
    for first, after in pairwise([*_line_starts(text, start), len(text)]):
        line = text[first:after].strip()
        if line and blank_before and _blank_line_at(text, after):
            if match := NUMBERED_HEADING.fullmatch(line):
                headings.append(Heading(match["title"], match["number"].count(".") + 1, first, after))
                numbers.append(match["number"])
            elif KNOWN_HEADING.fullmatch(line):
                headings.append(Heading(line, 1, first, after))
        blank_before = not line
    if headings and not text[start : headings[0].start].strip() and _is_numbered_title(text, headings[0], numbers):
        return headings[1:]
    return headings


def _is_numbered_title(text: str, first: Heading, numbers: Sequence[str]) -> bool:
    """Return whether a text's first line is a title that looks like a heading, as "12 Monkeys" and "F. S. Ellis" do.

    A heading has a common name of a section, or a number that the next one continues: 1, 2 or 1, 1.1.
    """
    if KNOWN_HEADING.fullmatch(first.title) or not NUMBERED_HEADING.fullmatch(text[first.start : first.end].strip()):
        return False
    if len(numbers) < 2:
        return True
    above, _, last = numbers[0].rpartition(".")
    after = str(int(last) + 1) if last.isdigit() else chr(ord(last) + 1)
    return numbers[1] not in (f"{above}.{after}".lstrip("."), f"{numbers[0]}.1")


def _blank_line_at(text: str, start: int) -> bool:
    line_end = LINE_END.search(text, start)
    return not text[start : line_end.start() if line_end else len(text)].strip()


def _line_starts(text: str, start: int) -> list[int]:
    return [start, *(match.end() for match in LINE_END.finditer(text, start))]


def _title(
    source: _Source, metadata: dict[str, Any], headings: list[Heading], start: int
) -> tuple[str, list[Heading], int]:
    """Find the paper's title, and take it out of what becomes sections."""
    named = _string(source, metadata, "title")
    if named and len(named) > LONGEST_TITLE:
        raise _bad(source, f"the title is longer than {LONGEST_TITLE} characters")
    if source.markdown:
        first = headings[0] if headings else None
        if first and _is_title(first, named, headings) and not source.text[start : first.start].strip():
            return named or first.title or first_words(source.text[first.end :]), headings[1:], first.end
        return named or first_words(source.text[start:]), headings, start
    body = source.text[start:]
    offset = start + len(body) - len(body.lstrip())
    line_end = LINE_END.search(source.text, offset)
    end = line_end.end() if line_end else len(source.text)
    line = " ".join(source.text[offset:end].split())
    is_heading = any(heading.start <= offset < heading.end for heading in headings)
    if line_end and len(line) <= LONGEST_TITLE and not is_heading and _blank_line_at(source.text, end):
        return line, headings, end
    return first_words(source.text[start:]), headings, start


def _is_title(first: Heading, named: str | None, headings: list[Heading]) -> bool:
    """Say whether the first heading is the paper's title, not that of a section beside others of its level."""
    if first.level != 1 or len(first.title) > LONGEST_TITLE:
        return False
    others_of_level_1 = any(heading.level == 1 for heading in headings[1:])
    return named is None or named.casefold() == first.title.casefold() or not others_of_level_1


def _abstract(text: str, sections: Sequence[ParsedSection]) -> str:
    """Return the abstract's text, else the first paragraphs before any heading."""
    if (abstract := abstract_section(text, sections)) is not None:
        return abstract
    if not sections or sections[0].kind != "front":
        return ""
    front = text[sections[0].start : sections[0].end].strip()
    if len(front) <= LONGEST_FRONT_ABSTRACT:
        return front
    paragraphs = list(PARAGRAPH_END.finditer(front, 0, LONGEST_FRONT_ABSTRACT))
    return front[: paragraphs[-1].start()] if paragraphs else ""


def _identifier(source: _Source, metadata: dict[str, Any], name: str) -> str | None:
    value = _string(source, metadata, name)
    if not value:
        return None
    try:
        return (doi_key if name == "doi" else arxiv_key)(value).partition(":")[2]
    except ValueError as error:
        raise _bad(source, str(error)) from error


def _year(source: _Source, metadata: dict[str, Any]) -> int | None:
    value = metadata.get("year")
    if value is None:
        in_date = YEAR.findall(str(metadata.get("date", "")))
        return int(in_date[0]) if len(in_date) == 1 else None
    if not isinstance(value, str) or not YEAR.fullmatch(value):
        raise _bad(source, f"year {value if isinstance(value, str) else type(value).__name__:.80} is not a year")
    return int(value)


def _string(source: _Source, metadata: dict[str, Any], name: str) -> str | None:
    value = metadata.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(source, f"{name} must be text")
    return " ".join(value.split()) or None


def _strings(source: _Source, metadata: dict[str, Any], name: str) -> tuple[str, ...]:
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


def _bad(source: _Source, detail: str) -> SourceError:
    return SourceError(source.file.name, Reason.BAD_METADATA, detail)


PARSER = Parser(
    format=Format.TEXT,
    endings=(".txt", ".text"),
    media_types={},
    magic={},
    sandboxed=True,
    version="12",
    parse=parse,
    quick=True,
    order=1,
)
