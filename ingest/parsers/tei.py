"""TEI as GROBID makes it of a PDF, to the document model.

GROBID's sections stand side by side and tell their depth by their numbers; its formulas are characters of the page, no
LaTeX. The list of references is kept apart and is no part of the text.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

from lxml import etree

from papergraph.ingest.parsers.common import mathml
from papergraph.ingest.parsers.common.composer import Cell, DocumentBuilder, FrontMatter, Inline, table
from papergraph.ingest.parsers.common.entries import arxiv_of, reference, year_of
from papergraph.ingest.parsers.document import Document, ElementKind, Reference
from papergraph.ingest.sources import Format, RawDocument
from papergraph.schema.ids import doi_of

Node: TypeAlias = etree._Element
NS = "{http://www.tei-c.org/ns/1.0}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
NUMBER = re.compile(r"(?:[0-9]{1,2}|[A-Z])(?:\.[0-9]{1,2})*\.?")
BLOCKS = frozenset({"p", "list", "item", "quote", "note", "ab", "lg", "l"})
BACK_TITLES = {
    "acknowledgement": "Acknowledgements",
    "availability": "Data availability",
    "funding": "Funding",
}
"""Default titles of untitled parts of the back matter."""


def parse(file: RawDocument, root: Node) -> Document:
    """Return the document that a ``TEI`` element is.

    Raises:
        SourceError: It holds no text but a title.
    """
    entries = list(root.iterfind(f"{NS}text/{NS}back//{NS}listBibl/{NS}biblStruct"))
    writer = _Writer({entry.get(XML_ID): number for number, entry in enumerate(entries) if entry.get(XML_ID)})
    abstract = root.find(f"{NS}teiHeader/{NS}profileDesc/{NS}abstract")
    if abstract is not None and _words(abstract):
        writer.composer.heading("Abstract", 1)
        writer.blocks(abstract, 1)
    for part in root.iterfind(f"{NS}text/{NS}body"):
        writer.blocks(part, 0)
    for part in root.iterfind(f"{NS}text/{NS}back/{NS}div"):
        writer.back(part)
    return writer.composer.document(file, Format.TEI, _front(root), [_reference(entry) for entry in entries])


class _Writer:
    """Walks elements in reading order and writes what they hold."""

    def __init__(self, numbers: dict[str | None, int]) -> None:
        self.composer = DocumentBuilder()
        self._numbers = numbers
        self._line = Inline()

    def back(self, node: Node) -> None:
        """Write a part of the back matter, the list of references left out."""
        if node.get("type") == "references" or not _words(node):
            return
        if node.find(f".//{NS}head") is None:
            self.composer.heading(BACK_TITLES.get(node.get("type") or "", "Appendix"), 1)
            self.blocks(node, 1)
        else:
            self.blocks(node, 0)

    def blocks(self, node: Node, level: int) -> None:
        """Write what an element in a section of ``level`` holds; text between blocks is a paragraph of its own."""
        self._flush()
        self._line.add(node.text)
        for child in node:
            name = _name(child)
            if name == "div":
                self._section(child, level)
            elif name == "figure":
                self._figure(child)
            elif name == "formula":
                self._flush()
                self.composer.element(ElementKind.EQUATION, _formula(child), _words(child.find(f"{NS}label")))
            elif name in BLOCKS:
                self.blocks(child, level)
            elif name not in ("head", "listBibl"):
                self._inline(child, self._line)
            self._line.add(child.tail)
        self._flush()

    def _section(self, node: Node, level: int) -> None:
        self._flush()
        head = node.find(f"{NS}head")
        if title := _words(head):
            number = (head.get("n") or "").rstrip(".") if head is not None else ""
            level += 1 + (number.count(".") if level == 0 and NUMBER.fullmatch(number) else 0)
            self.composer.heading(title, level)
        self.blocks(node, level)

    def _figure(self, node: Node) -> None:
        self._flush()
        label = _words(node.find(f"{NS}head")).rstrip(" :.")
        caption = Inline()
        for tag in ("head", "figDesc", "note"):
            for part in node.iterfind(f"{NS}{tag}"):
                caption.add(" ")
                self._children(part, caption)
        self.composer.element(ElementKind.CAPTION, caption, label)
        for found in node.iterfind(f"{NS}table"):
            self.composer.element(ElementKind.TABLE, table(list(self._rows(found))), label)

    def _rows(self, node: Node) -> Iterator[list[Cell]]:
        for row in node.iter(f"{NS}row"):
            cells = []
            for cell in row.iterfind(f"{NS}cell"):
                line = Inline(in_table=True)
                self._children(cell, line)
                cells.append(Cell(line, _number(cell.get("cols")), _number(cell.get("rows"))))
            yield cells

    def _flush(self) -> None:
        line, self._line = self._line, Inline()
        self.composer.paragraph(line)

    def _inline(self, node: Node, line: Inline) -> None:
        start = line.open()
        self._children(node, line)
        if _name(node) == "ref" and node.get("type") == "bibr":
            targets = [target.removeprefix("#") for target in (node.get("target") or "").split()]
            line.cite(start, [self._numbers[target] for target in targets if target in self._numbers])

    def _children(self, node: Node, line: Inline) -> None:
        line.add(node.text)
        for child in node:
            self._inline(child, line)
            line.add(child.tail)


def _front(root: Node) -> FrontMatter:
    header = root.find(f"{NS}teiHeader")
    if header is None:
        return FrontMatter()
    source = header.find(f"{NS}fileDesc/{NS}sourceDesc/{NS}biblStruct")
    ids = _ids(source)
    date = next((d for d in header.iter(f"{NS}date") if d.get("when") or _words(d)), None)
    licence = header.find(f".//{NS}licence")
    return FrontMatter(
        title=_words(header.find(f"{NS}fileDesc/{NS}titleStmt/{NS}title")),
        authors=[] if source is None else list(_people(source.iterfind(f"{NS}analytic/{NS}author"))),
        year=None if date is None else year_of(date.get("when") or _words(date)),
        doi=doi_of(ids.get("DOI")),
        arxiv_id=arxiv_of(ids.get("arXiv")),
        license=None if licence is None else licence.get("target") or _words(licence)[:300] or None,
    )


def _people(authors: Iterator[Node]) -> Iterator[str]:
    for author in authors:
        name = author.find(f"{NS}persName")
        if name is not None and (words := " ".join(filter(None, (_words(part) for part in name)))):
            yield words


def _ids(node: Node | None) -> dict[str | None, str]:
    return {} if node is None else {part.get("type"): _words(part) for part in reversed(list(node.iter(f"{NS}idno")))}


def _reference(node: Node) -> Reference:
    ids = _ids(node)
    raw = node.find(f"{NS}note[@type='raw_reference']")
    authors = list(_people(node.iterfind(f"{NS}analytic/{NS}author"))) or list(
        _people(node.iterfind(f"{NS}monogr/{NS}author"))
    )
    titles = [_words(title) for level in "amj" for title in node.iter(f"{NS}title") if title.get("level") == level]
    title = next(filter(None, titles), None)
    date = node.find(f".//{NS}date")
    year = None if date is None else year_of(date.get("when") or _words(date))
    told = ". ".join(filter(None, (", ".join(authors), str(year or ""), *dict.fromkeys(titles))))
    return reference(
        label=node.get(XML_ID) or "",
        text=_words(raw) or told,
        title=title,
        authors=authors,
        year=year,
        doi=doi_of(ids.get("DOI")),
        arxiv_id=arxiv_of(ids.get("arXiv")),
    )


def _formula(node: Node) -> str:
    math = node.find(".//{http://www.w3.org/1998/Math/MathML}math")
    if math is not None:
        return mathml.latex(math)
    pieces = [node.text, *(text for part in node if _name(part) != "label" for text in part.itertext(with_tail=False))]
    return " ".join(" ".join([*filter(None, pieces), *(part.tail or "" for part in node)]).split())


def _words(node: Node | None) -> str:
    return "" if node is None else " ".join("".join(node.itertext()).split())


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 1


def _name(node: Node) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""
