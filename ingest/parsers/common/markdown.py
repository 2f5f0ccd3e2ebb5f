"""What Markdown is made of: headings, tables, figures, captions and code, with offsets into the text as it was read.

markdown-it reads the blocks (CommonMark and pipe tables), so that a ``#`` or ``$$`` in code is none. Displayed
equations are found first and hidden from it, as a line of ``=`` in one would make a heading of the line above.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.parsers.common.elements import apart, caption_label, covers, displayed_equations
from ingest.parsers.document import Element, ElementKind, Heading

LINE_END = re.compile(r"\r\n|\r|\n")
CODE = ("fence", "code_block", "html_block")
ATTRIBUTES = re.compile(r"\s*(?:\{[^{}]*\}\s*)?")
TABLE_CAPTION = re.compile(r"(?:Table)?:\s+\S")
"""How pandoc writes a caption before or after a table."""


@dataclass(frozen=True)
class Markup:
    """What stands where in a Markdown text.

    Attributes:
        headings: Those that are in no list or quotation, in order.
        elements: Tables, displayed equations and captions, by offset.
        code: (start, end) of code and HTML, by offset.
    """

    headings: list[Heading]
    elements: tuple[Element, ...]
    code: list[tuple[int, int]]


@dataclass(frozen=True)
class _Block:
    """A block that is in no other: its opening token, the text in it, and where it stands."""

    token: Token
    inline: Token | None
    start: int
    end: int


def read_markup(text: str, start: int) -> Markup:
    """Find the markup of ``text`` from ``start`` on."""
    lines = [start, *(match.end() for match in LINE_END.finditer(text, start))]
    tokens = _tokens(text, start)
    code = _code(tokens, lines, len(text))
    equations = [equation for equation in displayed_equations(text, start) if not covers(code, equation.start)]
    if equations:
        tokens = _tokens(_hidden(text, equations), start)
        code = _code(tokens, lines, len(text))
    blocks = list(_blocks(tokens, text, lines))
    headings = [
        Heading(" ".join(plain(b.inline.children or []).split()), int(b.token.tag[1]), b.start, b.end)
        for b in blocks
        if b.token.type == "heading_open" and b.inline is not None
    ]
    displayed = [(equation.start, equation.end) for equation in equations]
    headings = [heading for heading in headings if not covers(displayed, heading.start)]
    titles = [(heading.start, heading.end) for heading in headings]
    equations = [equation for equation in equations if not covers(titles, equation.start)]
    return Markup(headings, apart([*equations, *_tables_and_captions(text, blocks)]), code)


def plain(children: Iterable[Token]) -> str:
    """Return what a line of Markdown says without its marks; what images show is what they are called."""
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else plain(child.children or []) or child.content
        for child in children
    )


def plain_line(text: str) -> str:
    """Return what one line of Markdown says, without marks and HTML tags."""
    (inline,) = MarkdownIt("commonmark").parseInline(text)
    return plain(child for child in inline.children or [] if child.type != "html_inline")


def _tokens(text: str, start: int) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(LINE_END.sub("\n", text[start:]))


def _hidden(text: str, equations: Sequence[Element]) -> str:
    parts, reached = [], 0
    for equation in equations:
        parts += [text[reached : equation.start], re.sub(r"[^\r\n]", "x", text[equation.start : equation.end])]
        reached = equation.end
    return "".join([*parts, text[reached:]])


def _code(tokens: Iterable[Token], lines: Sequence[int], length: int) -> list[tuple[int, int]]:
    return [_place(token, lines, length) for token in tokens if token.type in CODE and token.map]


def _place(token: Any, lines: Sequence[int], length: int) -> tuple[int, int]:
    first, after = token.map
    return lines[first], lines[after] if after < len(lines) else length


def _blocks(tokens: Sequence[Token], text: str, lines: Sequence[int]) -> Iterator[_Block]:
    for number, token in enumerate(tokens):
        if token.level == 0 and token.map:
            following = tokens[number + 1] if number + 1 < len(tokens) else None
            inline = following if following is not None and following.type == "inline" else None
            yield _Block(token, inline, *_place(token, lines, len(text)))


def _tables_and_captions(text: str, blocks: Sequence[_Block]) -> Iterator[Element]:
    labels = [_caption_of(blocks, number) for number in range(len(blocks))]
    for number, block in enumerate(blocks):
        content = text[block.start : block.end]
        start = block.start + len(content) - len(content.lstrip())
        element = Element(ElementKind.CAPTION, start, block.start + len(content.rstrip()), labels[number] or "")
        if block.token.type == "table_open":
            beside = (labels[at] for at in (number - 1, number + 1) if 0 <= at < len(blocks))
            label = next((label for label in beside if label and label.lower().startswith("tab")), "")
            yield replace(element, kind=ElementKind.TABLE, label=label)
        elif labels[number] is not None:
            yield element


def _caption_of(blocks: Sequence[_Block], number: int) -> str | None:
    """Return the label, or '' without one, if a block is a caption; None if it is not."""
    block = blocks[number]
    if block.token.type != "paragraph_open" or block.inline is None:
        return None
    label = caption_label(block.inline.content)
    if label is not None:
        return label
    beside = [blocks[at].token.type for at in (number - 1, number + 1) if 0 <= at < len(blocks)]
    if "table_open" in beside and TABLE_CAPTION.match(block.inline.content):
        return ""
    return _figure_label(block.inline.children or [])


def _figure_label(children: Sequence[Token]) -> str | None:
    """Return the label, or '', if a line is images with words to them, alone or followed by a caption; else None."""
    rest = [child for child in children if child.type not in ("image", "softbreak", "hardbreak")]
    images = [child.content for child in children if child.type == "image"]
    if not images or children[0].type != "image":
        return None
    words = plain(rest)
    if not ATTRIBUTES.fullmatch(words):
        return caption_label(words.strip())
    if not any(words.strip() for words in images):
        return None
    return next(filter(None, map(caption_label, images)), "")
