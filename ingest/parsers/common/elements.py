r"""Displayed equations and captions in running text, as Markdown and plain text have them.

An equation is displayed if it fills whole lines, between ``$$``, ``\[`` and ``\]`` or as a LaTeX environment, without a
blank line in it; what stands within a sentence is part of that sentence. A caption is a paragraph that begins with what
it is called, such as "Table 2:".
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from ingest.parsers.document import Element, ElementKind

ENVIRONMENTS = "equation align alignat aligned gather multline eqnarray displaymath math flalign".split()  # noqa: SIM905
EQUATION_BEGINS = re.compile(
    rf"(?P<opening>\$\$|\\\[|\\begin\{{(?P<environment>(?:{'|'.join(ENVIRONMENTS)})\*?)\}})(?!\$)"
)
EQUATION_ENDS = re.compile(r"[.,;]?\s*+(?:(?P<number>\([^()\s]{1,20}\))\s*+)?(?:\{#[^{}]*+\}\s*+)?(?:[.,;]\s*+)?")
"""What may stand after an equation on its last line."""

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
    """Return what a figure or table is called that ``paragraph`` is the caption of, "Table 2"; None if it is none."""
    match = CAPTION.match(paragraph)
    return " ".join(match["label"].split()) if match else None


def apart(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Return elements by offset, without those that begin in another."""
    kept: list[Element] = []
    for element in sorted(elements, key=lambda element: (element.start, -element.end)):
        if not kept or element.start >= kept[-1].end:
            kept.append(element)
    return tuple(kept)


def covers(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Say whether one of ``spans``, which are in order and apart, holds a character."""
    number = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return number >= 0 and offset < spans[number][1]
