"""Elements of HTML to the document model: blocks, tables, formulas and marked references in reading order."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from lxml import etree

from ingest.parsers.common import mathml
from ingest.parsers.common.composer import Cell, DocumentBuilder, Inline, label_of_caption, table
from ingest.parsers.document import ElementKind, kind_of

Node: TypeAlias = etree._Element
PASSED_OVER = frozenset(
    (  # noqa: SIM905 short to read
        "script style noscript template iframe object embed applet svg canvas audio video picture map form button "
        "input select textarea nav header footer aside menu dialog head link meta base"
    ).split()
)
ROLES_PASSED_OVER = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "dialog", "menu", "alert"}
)
CLASSES_PASSED_OVER = frozenset(
    (  # noqa: SIM905 short to read
        "mw-editsection noprint mw-cite-backlink reference-backlink navbox toc ltx_toc ltx_page_header "
        "ltx_page_footer ltx_pagination ltx_authors ltx_dates sr-only visually-hidden breadcrumb breadcrumbs "
        "cookie-banner share-buttons social-share mw-jump-link hatnote metadata ltx_rdf"
    ).split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(
    (  # noqa: SIM905 short to read
        "p div section article main ul ol li dl dd dt blockquote pre figure figcaption table details summary address "
        "center hr body html fieldset tbody tr td th caption hgroup"
    ).split()
)
DISPLAYED = re.compile(
    r"\s*(?:\\\[(.*)\\\]|\$\$(.*)\$\$|(\\begin\{(?:equation|align|gather|multline)\*?\}.*))\s*", re.DOTALL
)
TEX_SCRIPT = re.compile(r"math/tex\s*(;\s*mode=display)?", re.IGNORECASE)
EXPONENT = re.compile(r"[-−–+]?\d+")
LINKS_SHARE = 0.7
FEWEST_LINKS = 4
"""A list with so many links, whose text is links to this share, leads elsewhere and is no text."""


class Writer:
    """Walks elements in reading order and writes what they hold."""

    def __init__(self, references: Sequence[Node], title: str) -> None:
        self.composer = DocumentBuilder()
        self._entries = set(references)
        self._numbers = {id: number for number, node in enumerate(references) for id in _ids(node)}
        self._title = fold_text(title)
        self._line = Inline()
        self._notes: list[Inline] = []
        self._with_blocks: set[Node] = set()

    def page(self, main: Node) -> None:
        """Write a page's main text, or a part of it."""
        for node in main.iter():
            if (
                name_of(node) in BLOCKS
                or name_of(node) in HEADINGS
                or (name_of(node) == "math" and _is_displayed(node))
            ):
                for above in node.iterancestors():
                    if above in self._with_blocks:
                        break
                    self._with_blocks.add(above)
        self.blocks(main)

    def blocks(self, node: Node) -> None:
        """Write what an element holds; text between blocks is a paragraph of its own."""
        self._flush()
        self._line.add(node.text)
        for child in node:
            self._child(child)
            self._line.add(child.tail)
        self._flush()

    def _child(self, node: Node) -> None:
        name = name_of(node)
        if node in self._entries or without_passed_over(node):
            self._script(node)
        elif name in HEADINGS:
            self._flush()
            self._heading(node, HEADINGS[name])
        elif name == "math" and _is_displayed(node):
            self._flush()
            self._equation(mathml.latex(node), "")
        elif "ltx_equation" in classes_of(node) or "ltx_equationgroup" in classes_of(node):
            self._flush()
            self._latexml_equations(node)
        elif name == "table":
            self._flush()
            self._table(node)
        elif name == "figure":
            self._flush()
            self._figure(node)
        elif name == "pre":
            self._flush()
            self.composer.paragraph("".join(node.itertext()))
        elif name == "dt":
            self._flush()
            self._inline_children(node, self._line)
            self._line.add(": ")
        elif name == "dd":
            if node in self._with_blocks:
                self.blocks(node)
            else:
                self._inline_children(node, self._line)
            self._flush()
        elif name in BLOCKS or node in self._with_blocks:
            if name in ("ul", "ol") and _leads_elsewhere(node):
                return
            self._flush()
            self.blocks(node)
        else:
            self._inline(node, self._line)

    def _flush(self) -> None:
        line, self._line = self._line, Inline()
        displayed = DISPLAYED.fullmatch(line.text)
        if displayed:
            self._equation(next(part for part in displayed.groups() if part is not None), "")
        else:
            self.composer.paragraph(line)
        notes, self._notes = self._notes, []
        for note in notes:
            self.composer.paragraph(note)

    def _heading(self, node: Node, level: int) -> None:
        line = self._flat(node)
        if not line.length or (self._entries and kind_of(line.text) == "references"):
            return
        folded = fold_text(line.text)
        if level == 1 and self._title and folded and (folded in self._title or self._title in folded):
            self._title = ""  # once
            return
        self.composer.heading(line.text, level)

    def _equation(self, tex: str, label: str) -> None:
        self.composer.element(ElementKind.EQUATION, " ".join(tex.split()), label)

    def _latexml_equations(self, node: Node) -> None:
        """Write the rows of an equation as LaTeXML sets them, in a table of formulas and their numbers."""
        label = words_of(next(iter(of_class(node, "ltx_tag_equation")), None))
        formulas = [mathml.latex(math) for math in node.iter("math")]
        if formulas:
            self._equation(" ".join(formulas), label)

    def _script(self, node: Node) -> None:
        """Write the formulas that MathJax has in scripts; all others are passed over."""
        if name_of(node) == "script" and (kind := TEX_SCRIPT.match(node.get("type") or "")):
            if kind[1]:
                self._flush()
                self._equation(node.text or "", "")
            else:
                self._line.add(f"${(node.text or '').strip()}$")

    def _figure(self, node: Node) -> None:
        captions = [part for part in node.iter("figcaption") if not _within(part, "figure", node)]
        for caption in captions:
            self._caption(caption)
        for part in node:
            if part not in captions:
                self._child(part)
                self._flush()

    def _caption(self, node: Node) -> None:
        line = self._flat(node)
        self.composer.element(ElementKind.CAPTION, line, label_of_caption(line.text))

    def _table(self, node: Node) -> None:
        if node.get("role") in ("presentation", "none") or next(node.iterdescendants("table"), None) is not None:
            self.blocks(node)
            return
        label = ""
        for caption in node.iterfind("caption"):
            self._caption(caption)
            label = label_of_caption(words_of(caption))
        if (figure := next(node.iterancestors("figure"), None)) is not None and not label:
            label = label_of_caption(words_of(figure.find(".//figcaption")))
        rows = [
            [
                Cell(self._flat(cell, in_table=True), _number(cell.get("colspan")), _number(cell.get("rowspan")))
                for cell in row
                if name_of(cell) in ("td", "th")
            ]
            for row in node.iter("tr")
        ]
        if max(map(len, rows), default=0) > 1 or node.find("caption") is not None or node.find(".//th") is not None:
            self.composer.element(ElementKind.TABLE, table(rows), label)
        else:  # a frame around text
            for row in node.iter("tr"):
                for cell in row:
                    self.blocks(cell)

    def _flat(self, node: Node, *, in_table: bool = False) -> Inline:
        line = Inline(in_table=in_table)
        self._inline_children(node, line)
        return line

    def _inline_children(self, node: Node, line: Inline) -> None:
        line.add(node.text)
        for child in node:
            self._inline(child, line)
            line.add(child.tail)

    def _inline(self, node: Node, line: Inline) -> None:
        name = name_of(node)
        if name == "script" and TEX_SCRIPT.match(node.get("type") or ""):
            line.add(f"${(node.text or '').strip()}$")
        elif not name or node in self._entries or without_passed_over(node):
            return
        elif name == "math":
            if tex := mathml.latex(node):
                line.add(f"${tex}$")
        elif name == "br":
            line.add(" ")
        elif "ltx_note" in classes_of(node):
            note = Inline()
            content = next(iter(of_class(node, "ltx_note_content")), node)
            self._inline_children(content, note)
            self._notes.append(note)
        elif name == "a" and (number := self._cited(node)) is not None:
            start = line.open()
            self._inline_children(node, line)
            line.cite(start, [number])
        elif name == "sup" and EXPONENT.fullmatch(words_of(node)) and next(node.iter("a"), None) is None:
            line.add("^" + words_of(node))
        else:
            apart = name in BLOCKS or name in HEADINGS
            line.add(" " if apart else None)
            self._inline_children(node, line)
            line.add(" " if apart else None)

    def _cited(self, node: Node) -> int | None:
        href = node.get("href") or ""
        return self._numbers.get(href.partition("#")[2]) if "#" in href else None


def without_passed_over(node: Node) -> bool:
    name = name_of(node)
    if not name or name in PASSED_OVER or node.get("role") in ROLES_PASSED_OVER:
        return True
    if CLASSES_PASSED_OVER & {cls.lower() for cls in classes_of(node)} or node.get("id") in ("toc", "references-toc"):
        return True
    hidden = (
        node.get("hidden") is not None
        or node.get("aria-hidden") == "true"
        or re.search(r"display\s*:\s*none|visibility\s*:\s*hidden", node.get("style") or "") is not None
    )
    return hidden and next(node.iter("math"), None) is None


def _leads_elsewhere(node: Node) -> bool:
    links = [link for link in node.iter("a") if link.get("href") and not (link.get("href") or "").startswith("#")]
    if len(links) < FEWEST_LINKS or next(node.iter("p", "table", "figure", *HEADINGS), None) is not None:
        return False
    of_links = sum(len(words_of(link)) for link in links)
    return 0 < LINKS_SHARE * len(words_of(node)) <= of_links


def _is_displayed(node: Node) -> bool:
    return bool(node.get("display") == "block" or node.get("mode") == "display")


def _within(node: Node, name: str, limit: Node) -> bool:
    """Say whether an element stands in another ``name`` below ``limit``."""
    for above in node.iterancestors():
        if above is limit:
            return False
        if name_of(above) == name:
            return True
    return False


def _ids(node: Node) -> Iterable[str]:
    for part in node.iter():
        if isinstance(part.tag, str):
            for attribute in ("id", "name"):
                if value := part.get(attribute):
                    yield value


def of_class(node: Node, *names: str) -> Iterator[Node]:
    wanted = set(names)
    return (part for part in node.iter() if isinstance(part.tag, str) and wanted & set(classes_of(part)))


def classes_of(node: Node) -> list[str]:
    return (node.get("class") or "").split() if isinstance(node.tag, str) else []


def fold_text(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def words_of(node: Node | None, leave_out: tuple[str, ...] = ()) -> str:
    if node is None:
        return ""
    if not leave_out:
        return " ".join("".join(node.itertext()).split())
    parts: list[str] = []

    def collect(part: Node) -> None:
        if not isinstance(part.tag, str) or set(classes_of(part)) & set(leave_out):
            return
        parts.append(part.text or "")
        for child in part:
            collect(child)
            parts.append(child.tail or "")

    collect(node)
    return " ".join("".join(parts).split())


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 1


def name_of(node: Node | None) -> str:
    return str(node.tag).rpartition(":")[2].lower() if node is not None and isinstance(node.tag, str) else ""
