"""JATS, the XML of PubMed Central and many publishers, to the document model.

Front matter, abstracts, body and back matter are read in this order; letters and answers to reviewers (``sub-article``,
``response``) are not part of the paper. The list of references is kept apart and is no part of the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from lxml import etree

from papergraph.ingest.parsers.common import mathml
from papergraph.ingest.parsers.common.composer import Cell, DocumentBuilder, FrontMatter, Inline, table
from papergraph.ingest.parsers.common.entries import arxiv_of, fields_of, reference, year_of
from papergraph.ingest.parsers.document import Document, ElementKind, Reference, kind_of
from papergraph.ingest.sources import Format, RawDocument
from papergraph.schema.ids import doi_of

Node: TypeAlias = etree._Element
CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
TEX_BODY = re.compile(r"\\begin\{document\}((?:(?!\\begin\{document\}).)*?)\\end\{document\}", re.DOTALL)
EXPONENT = re.compile(r"[-−–+]?\d+")
NOT_PUBLISHED = frozenset({"pmc-release", "received", "accepted", "preprint", "nihms-submitted"})
PICTURES_OF_ABSTRACTS = frozenset({"graphical", "toc"})
WITHOUT_TEXT = frozenset({"graphic", "inline-graphic", "object-id", "permissions", "ref-list", "bio", "xref-list"})
BACK_TITLES = {
    "ack": "Acknowledgements",
    "app": "Appendix",
    "fn-group": "Footnotes",
    "glossary": "Glossary",
    "notes": "Notes",
}
"""Default titles of untitled parts of the back matter."""


def parse(file: RawDocument, root: Node) -> Document:
    """Return the document that an ``article`` is.

    Raises:
        SourceError: It holds no text but a title.
    """
    if namespace := etree.QName(root).namespace:  # as PubMed Central's OAI server gives it
        for node in root.iter(f"{{{namespace}}}*"):
            node.tag = etree.QName(node).localname
    entries = list(root.iterfind("back//ref-list//ref"))
    numbers = {ref.get("id"): number for number, ref in enumerate(entries) if ref.get("id")}
    writer = _Writer(numbers)
    abstracts = sorted(root.iterfind("front/article-meta/abstract"), key=lambda node: "abstract-type" in node.attrib)
    for abstract in abstracts:
        if abstract.get("abstract-type") not in PICTURES_OF_ABSTRACTS:
            writer.abstract(abstract)
    for part in (*root.iterfind("body"), *root.iterfind("floats-group")):
        writer.blocks(part, level=0)
    for part in root.iterfind("back/*"):
        writer.back(part)
    return writer.composer.document(file, Format.JATS, _front(root), [_reference(ref) for ref in entries])


class _Writer:
    """Walks elements in reading order and writes what they hold."""

    def __init__(self, numbers: dict[str | None, int]) -> None:
        self.composer = DocumentBuilder()
        self._numbers = numbers
        self._line = Inline()
        """The paragraph that is being written."""

        self._handlers: dict[str, Callable[[Node, int], None]] = {
            "sec": self._section,
            "fig": self._figure,
            "table-wrap": self._table,
            "disp-formula": self._equation,
            "def-item": self._definition,
            "code": self._verbatim,
            "preformat": self._verbatim,
            **dict.fromkeys(
                (
                    *("p", "fig-group", "table-wrap-group", "disp-formula-group", "boxed-text", "list", "list-item"),
                    *("def-list", "disp-quote", "verse-group", "verse-line", "statement", "supplementary-material"),
                    *("media", "caption", "title", "fn", "fn-group", "ack", "app", "app-group", "notes", "glossary"),
                    *("attrib", "speech", "table-wrap-foot", "question", "answer", "explanation"),
                ),
                self.blocks,
            ),
        }

    def abstract(self, node: Node) -> None:
        """Write an abstract as a section; the main one is named "Abstract" unless its title says so."""
        title = _title(node)
        kind = node.get("abstract-type")
        if kind is None and kind_of(title) != "abstract":
            title = "Abstract"
        self.composer.heading(title or f"{kind} abstract".capitalize(), 1)
        self.blocks(node, level=1, leave_out=("title", "label"))

    def back(self, node: Node) -> None:
        """Write a part of the back matter under its title, references and biographies left out."""
        name = _name(node)
        if name == "app-group":
            for part in node:
                self.back(part)
        elif name in BACK_TITLES:
            if _has_text(node):
                self.composer.heading(_title(node) or BACK_TITLES[name], 1)
                self.blocks(node, level=1, leave_out=("title", "label"))
        elif name == "sec":
            self._section(node, 0)

    def blocks(self, node: Node, level: int, leave_out: tuple[str, ...] = ()) -> None:
        """Write what an element in a section of ``level`` holds; text between blocks is a paragraph of its own."""
        self._flush()
        self._line.add(node.text)
        notes: list[Node] = []
        for child in node:
            name = _name(child)
            if name == "fn" and _name(node) == "p":
                notes.append(child)  # after the sentence in which it stands
            elif handler := self._handlers.get(name):
                if name not in leave_out:
                    self._flush()
                    handler(child, level)
                    self._flush()
            elif name not in leave_out:
                self._inline(child, self._line)
            self._line.add(child.tail)
        self._flush()
        for note in notes:
            self.blocks(note, level)

    def _flush(self) -> None:
        line, self._line = self._line, Inline()
        self.composer.paragraph(line)

    def _section(self, node: Node, level: int) -> None:
        if title := _title(node):
            level += 1
            self.composer.heading(title, level)
        self.blocks(node, level, leave_out=("title", "label"))

    def _figure(self, node: Node, level: int) -> None:
        self._caption(node)
        self._further(node, level)

    def _table(self, node: Node, level: int) -> None:
        self._caption(node)
        label = _label(node)
        for found in node.iter("table", "{*}table"):
            if not any(_name(above) == "table" for above in found.iterancestors()):
                self.composer.element(ElementKind.TABLE, table(list(self._rows(found))), label)
        for foot in node.iterfind("table-wrap-foot"):
            self.composer.element(ElementKind.CAPTION, self._flat(foot), label)
        self._further(node, level)

    def _further(self, node: Node, level: int) -> None:
        """Write other elements of a figure or table, such as supplementary figures."""
        for part in node:
            if _name(part) in self._handlers and _name(part) not in ("caption", "table-wrap-foot"):
                self._handlers[_name(part)](part, level)

    def _caption(self, node: Node) -> None:
        line = Inline()
        for part in node:
            if _name(part) in ("label", "caption"):
                line.add(" ")
                line.include(self._flat(part))
                line.add(" ")
        self.composer.element(ElementKind.CAPTION, line, _label(node))

    def _rows(self, node: Node) -> Iterator[list[Cell]]:
        for row in node.iter("tr", "{*}tr"):
            yield [
                Cell(self._flat(cell, in_table=True), _number(cell.get("colspan")), _number(cell.get("rowspan")))
                for cell in row
                if _name(cell) in ("td", "th")
            ]

    def _equation(self, node: Node, level: int) -> None:
        self.composer.element(ElementKind.EQUATION, _formula(node), _label(node))

    def _definition(self, node: Node, level: int) -> None:
        for number, part in enumerate(part for part in node if _name(part) in ("term", "def")):
            self._line.add(": " if number else None)
            self._line.include(self._flat(part))

    def _verbatim(self, node: Node, level: int) -> None:
        self.composer.paragraph("".join(node.itertext()))

    def _flat(self, node: Node, *, in_table: bool = False) -> Inline:
        """Return all that an element holds as one line, blocks parted by blanks."""
        line = Inline(in_table=in_table)
        self._children(node, line)
        return line

    def _inline(self, node: Node, line: Inline) -> None:
        name = _name(node)
        if name in WITHOUT_TEXT or not name:
            return
        if name in ("inline-formula", "disp-formula", "tex-math", "math"):
            if formula := _formula(node):
                line.add(f"${formula}$")
        elif name == "xref" and node.get("ref-type") == "bibr":
            start = line.open()
            self._children(node, line)
            line.cite(start, [self._numbers[id] for id in (node.get("rid") or "").split() if id in self._numbers])
        elif name == "sup" and _is_exponent(node):
            line.add("^" + _words(node))
        elif name == "break":
            line.add(" ")
        else:
            block = name in self._handlers
            line.add(" " if block else None)
            self._children(node, line)
            line.add(" " if block else None)

    def _children(self, node: Node, line: Inline) -> None:
        line.add(node.text)
        for child in node:
            self._inline(child, line)
            line.add(child.tail)


def _front(root: Node) -> FrontMatter:
    meta = root.find("front/article-meta")
    if meta is None:
        return FrontMatter()
    title = " ".join(filter(None, (_words(node) for node in meta.iterfind("title-group/*") if _name(node) in TITLES)))
    ids = {node.get("pub-id-type"): _words(node) for node in reversed(meta.findall("article-id"))}
    years = [
        year
        for date in meta.iterfind("pub-date")
        if (date.get("pub-type") or date.get("date-type")) not in NOT_PUBLISHED
        and (year := year_of(_words(date.find("year"))))
    ]
    subjects = (
        _words(subject)
        for group in meta.iterfind("article-categories/subj-group")
        if group.get("subj-group-type") != "display-channel"
        for subject in group.iter("subject")
    )
    return FrontMatter(
        title=title,
        authors=list(_authors(meta)),
        year=min(years, default=None),
        doi=doi_of(ids.get("doi")),
        arxiv_id=arxiv_of(ids.get("arxiv")),
        categories=list(subjects),
        license=_license(meta),
    )


TITLES = ("article-title", "subtitle")


def _authors(meta: Node) -> Iterator[str]:
    for contributor in meta.iterfind("contrib-group/contrib"):
        if contributor.get("contrib-type") not in ("author", None):
            continue
        for name in contributor.iter("name", "string-name", "collab"):
            yield _person(name) if _name(name) != "collab" else " ".join((name.text or "").split()) or _words(name)
            break


def _person(node: Node) -> str:
    given, surname = _words(node.find("given-names")), _words(node.find("surname"))
    names = [surname, given] if node.get("name-style") == "eastern" else [given, surname]
    return " ".join(filter(None, [*names, _words(node.find("suffix"))])) or _words(node)


def _license(meta: Node) -> str | None:
    for node in meta.iterfind("permissions/license"):
        links = [node.get(XLINK_HREF), *(_words(ref) for ref in node.iter("{*}license_ref"))]
        links += [link.get(XLINK_HREF) for link in node.iter("ext-link")]
        for link in links:
            if link and link.startswith("http"):
                return str(link)
        return _words(node)[:300] or None
    return None


def _reference(node: Node) -> Reference:
    alternatives = node.find("citation-alternatives")
    citations = list((node if alternatives is None else alternatives).iter(*CITATIONS))
    first = citations[0] if citations else node
    people = [name for name in first.iter("name", "string-name", "collab") if not _in_editors(name)]
    authors = [_person(name) if _name(name) != "collab" else _words(name) for name in people]
    titles = (_words(first.find(f".//{tag}")) for tag in ("article-title", "chapter-title", "part-title", "source"))
    ids = {part.get("pub-id-type"): _words(part) for part in reversed(list(node.iter("pub-id")))}
    links = [link.get(XLINK_HREF) or "" for link in node.iter("ext-link", "uri")]
    linked = (doi_of(link) for link in links if "doi.org/" in link)
    label = _words(node.find("label")).strip("[]().") or node.get("id") or ""
    shown = citations if alternatives is None else sorted(citations, key=lambda one: _name(one) == CITATIONS[0])[:1]
    text = " ".join(_printed(citation) for citation in shown) or _words(node)
    title, year = next(filter(None, titles), None), year_of(_words(first.find(".//year")))
    if not authors and not title and not year:  # as it is printed, without fields
        said = fields_of(_printed(shown[0]) if shown else text)
        authors, title, year = list(said.authors), said.title, said.year
    return reference(
        label=label,
        text=text,
        title=title,
        authors=authors,
        year=year,
        doi=doi_of(ids.get("doi")) or next(filter(None, linked), None),
        arxiv_id=arxiv_of(ids.get("arxiv")),
    )


def _in_editors(name: Node) -> bool:
    group = next(name.iterancestors("person-group"), None)
    return group is not None and group.get("person-group-type") not in ("author", None)


def _printed(citation: Node) -> str:
    """Return an entry as it is printed; one whose parts stand without punctuation gets it here."""
    if _name(citation) != "element-citation":
        printed = _words(citation, leave_out=("pub-id",), spaced=("surname", "given-names"))
        return printed + "".join(f" doi:{doi}" for doi in _dois(citation))
    names = [
        _person(name) if _name(name) != "collab" else _words(name)
        for name in citation.iter("name", "string-name", "collab")
    ]
    parts = [", ".join(names)]
    for tag in ("year", "article-title", "chapter-title", "source", "publisher-name"):
        parts.append(_words(citation.find(f".//{tag}")).rstrip("."))
    pages = "–".join(filter(None, (_words(citation.find(tag)) for tag in ("fpage", "lpage"))))
    where = (_words(citation.find("volume")), pages or _words(citation.find("elocation-id")))
    parts.append(":".join(filter(None, where)))
    parts += [f"doi:{doi}" for doi in _dois(citation)]
    told = ". ".join(filter(None, parts))
    return told or _words(citation)


def _is_exponent(node: Node) -> bool:
    """Say whether raised characters are a power, not the number of a reference or note."""
    cites = _name(node.getparent()) == "xref" or node.find(".//xref") is not None
    return not cites and EXPONENT.fullmatch(_words(node)) is not None


def _dois(citation: Node) -> list[str]:
    return [_words(part) for part in citation.iter("pub-id") if part.get("pub-id-type") == "doi"]


def _label(node: Node) -> str:
    """Return what the text calls a figure, table or formula."""
    return _words(node.find("label")).rstrip(" .:")


def _formula(node: Node) -> str:
    """Return a formula as LaTeX: its own TeX where it has any, else made of its MathML, else its characters."""
    tex = node if _name(node) == "tex-math" else node.find(".//{*}tex-math")
    if tex is not None:
        source = "".join(tex.itertext())
        body = TEX_BODY.search(source)
        return (body[1] if body else source).strip().removeprefix("$$").removesuffix("$$").strip().strip("$").strip()
    math = node if _name(node) == "math" else node.find(".//{*}math")
    return mathml.latex(math) if math is not None else _words(node, leave_out=("label",))


def _title(node: Node) -> str:
    """Return an element's heading, or '' without one."""
    title = node.find("title")
    line = Inline()
    if title is not None:
        _Writer({})._children(title, line)
    return line.text


def _words(node: Node | None, leave_out: tuple[str, ...] = (), spaced: tuple[str, ...] = ()) -> str:
    """Return an element's characters, blanks joined, and one put before each element that is ``spaced``."""
    if node is None:
        return ""
    if not leave_out:
        return " ".join("".join(node.itertext()).split())
    parts: list[str] = []

    def collect(part: Node) -> None:
        if _name(part) not in leave_out:
            parts.append(part.text or "")
            for child in part:
                parts.append(" " if _name(child) in spaced else "")
                collect(child)
                parts.append(child.tail or "")

    collect(node)
    return " ".join("".join(parts).split())


def _has_text(node: Node) -> bool:
    return any(_words(part) for part in node if _name(part) not in ("title", "label", "ref-list"))


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 1


def _name(node: Node | None) -> str:
    return etree.QName(node).localname if node is not None and isinstance(node.tag, str) else ""
