"""Markdown: headings, captions, equations and other elements of a text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from papergraph.ingest.parsers.document import Element, ElementKind, Heading

# Displayed equations and captions in running text, as Markdown and plain text have them.
#
# An equation is displayed if it fills whole lines, between ``$$``, ``\[`` and ``\]`` or as a LaTeX environment,
# without a blank line in it; what stands within a sentence is part of that sentence. A caption is a paragraph that
# begins with what it is called, such as "Table 2:".


ENVIRONMENTS = "equation align alignat aligned gather multline eqnarray displaymath math flalign".split()  # noqa: SIM905
EQUATION_BEGINS = re.compile(
    rf"(?P<opening>\$\$|\\\[|\\begin\{{(?P<environment>(?:{'|'.join(ENVIRONMENTS)})\*?)\}})(?!\$)"
)
EQUATION_ENDS = re.compile(r"[.,;]?\s*+(?:(?P<number>\([^()\s]{1,20}\))\s*+)?(?:\{#[^{}]*+\}\s*+)?(?:[.,;]\s*+)?")
"""Number, label and punctuation after an equation on its last line."""

HEADING = re.compile(r" {0,3}#{1,6}\s")
TAG = re.compile(r"\\tag\*?\{([^{}]{1,20})\}")
CAPTION = re.compile(
    r"(?P<marks>[*_]{0,3})(?P<label>(?:figure|fig\.?|table|tab\.|scheme|algorithm|listing|box)[ \u00a0]?"
    r"(?:[A-Z]?\.?\d+(?:\.\d+)*[a-z]?|[IVX]+))(?:[*_]{0,3}[.:|][*_]{0,3}(?=\s+\S)|[*_]{0,3}\s+[—–-][*_]{0,3}\s+(?=\S)"
    r"|(?<=\w)(?P=marks)(?<=[*_])\s+(?=\S))",
    re.IGNORECASE,
)
LINES = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")


def displayed_equations(text: str, start: int = 0) -> Iterator[Element]:
    """Yield the displayed equations of a text from ``start`` on, in order, with their delimiters."""
    begin, closing, label = -1, "", ""
    for line in LINES.finditer(text, start):
        content = line[1]
        at = len(content) - len(content.lstrip())
        if begin >= 0:
            at = 0
        elif opened := EQUATION_BEGINS.match(content, at):
            begin, label = line.start(1) + at, ""
            closing = {"$$": "$$", "\\[": "\\]"}.get(opened["opening"], f"\\end{{{opened['environment']}}}")
            at = opened.end()
        if begin < 0:
            continue
        if not content.strip() or HEADING.match(content):  # TeX allows no paragraph to end in a formula
            begin = -1
        elif (close := content.find(closing, at)) >= 0:
            after = EQUATION_ENDS.fullmatch(content, close + len(closing))
            inside = text[begin : line.start(1) + close]
            if after and inside.removeprefix("$$").removeprefix("\\[").strip():
                tag = TAG.search(inside)
                label = f"({tag[1]})" if tag else after["number"] or ""
                yield Element(ElementKind.EQUATION, begin, line.start(1) + len(content.rstrip()), label)
            begin = -1


def captions(text: str, start: int = 0) -> Iterator[Element]:
    """Yield the paragraphs of a plain text from ``start`` on that are captions, in order."""
    for first, last in paragraphs(text, start):
        paragraph = text[first:last]
        words = paragraph.strip()
        if (label := caption_label(words)) is not None:
            begin = first + paragraph.index(words)
            yield Element(ElementKind.CAPTION, begin, begin + len(words), label)


def paragraphs(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield where the runs of lines that are not blank begin and end, from ``start`` on."""
    begin = end = -1
    for line in LINES.finditer(text, start):
        if line[1].strip():
            begin = line.start() if begin < 0 else begin
            end = line.end(1)
        elif begin >= 0:
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, end


def caption_label(paragraph: str) -> str | None:
    """Return the label of a caption, such as "Table 2"; None if ``paragraph`` is not a caption."""
    match = CAPTION.match(paragraph)
    return " ".join(match["label"].split()) if match else None


def apart(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Return elements in the order of their offsets, without those that begin inside an earlier one."""
    kept: list[Element] = []
    for element in sorted(elements, key=lambda element: (element.start, -element.end)):
        if not kept or element.start >= kept[-1].end:
            kept.append(element)
    return tuple(kept)


def covers(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Say whether one of ``spans``, which are in order and apart, holds a character."""
    number = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return number >= 0 and offset < spans[number][1]


# Headings, tables, figures, captions and code of Markdown, with offsets into the text as it was read.
#
# markdown-it reads the blocks (CommonMark and pipe tables), so that a ``#`` or ``$$`` in code is none. Displayed
# equations are found first and hidden from it, as a line of ``=`` in one would make a heading of the line above.


LINE_END = re.compile(r"\r\n|\r|\n")
CODE = ("fence", "code_block", "html_block")
ATTRIBUTES = re.compile(r"\s*(?:\{[^{}]*\}\s*)?")
TABLE_CAPTION = re.compile(r"(?:Table)?:\s+\S")
"""Pandoc's caption before or after a table."""


@dataclass(frozen=True)
class Markup:
    """Headings, elements and code of a Markdown text.

    Attributes:
        headings: Headings outside lists and quotations, in order.
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
    """Return the label of a caption, '' if it is unlabelled, None if the block is not a caption."""
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
