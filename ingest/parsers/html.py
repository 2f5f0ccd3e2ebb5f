"""HTML of papers, read into documents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from lxml import etree
from lxml import html as lxml_html

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common import mathml
from papergraph.ingest.parsers.common.composer import (
    Cell,
    DocumentBuilder,
    FrontMatter,
    Inline,
    label_of_caption,
    table,
)
from papergraph.ingest.parsers.common.entries import arxiv_of, reference, year_of
from papergraph.ingest.parsers.document import Document, ElementKind, Reference, kind_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.names import inverted
from papergraph.schema.ids import doi_of

# Elements of HTML to the document model: blocks, tables, formulas and marked references in reading order


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
    """Return whether an element has an ancestor ``name`` below ``limit``."""
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


# HTML to the document model: a page's main text with its sections, tables, formulas, captions and marked references.
#
# The main text is the element ``article`` or ``main``, else trafilatura's choice; headings, tables and formulas are
# then read from the page's own elements, since trafilatura keeps only some of them. Scripts, styles, forms, frames and
# what is hidden are passed over; nothing is run or fetched. Metadata are the ``citation_…`` tags that publishers write
# for Google Scholar (Highwire), Dublin Core's, else Open Graph's.


DECLARED = re.compile(
    rb"""<(?:meta[^>]*?charset|\?xml[^>]*?encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE
)
DECLARED_WITHIN = 4096
MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
REFERENCE_LIST = re.compile(
    r"(?:^|[\s_-])(?:references?|bibliography|ref-?list|citation-list|reflist|biblist|ltx_biblist|csl-bib-body)(?:$|[\s_-])",
    re.IGNORECASE,
)
CITES_BY_NUMBER = re.compile(r"\[?\d{1,4}\]?")
MAIN_SHARE = 0.5
"""Least share of a page's paragraphs that an ``article`` or ``main`` must hold to be its main text."""
MOST_ELEMENTS = 300_000
MOST_FOR_TRAFILATURA = 30_000
"""Elements of a page; in a larger one that does not name its main text, all of it is."""


def parse(file: RawDocument) -> Document:
    """Parse a page.

    Raises:
        SourceError: The page is damaged, nested too deeply, or empty.
    """
    try:
        root = read(file)
        front = _front(root)
        main = _main(root)
        found = _references(root)
        writer = Writer(found, front.title)
        writer.page(main)
        entries = [_entry(node, number) for number, node in enumerate(found, start=1)] or list(_told_references(root))
        return writer.composer.document(file, Format.HTML, front, entries)
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "has elements nested too deeply to be a paper") from error


def read(file: RawDocument) -> Node:
    """Return the root of a page.

    Raises:
        SourceError: It is no HTML.
    """
    if b"\0" in file.data[:DECLARED_WITHIN] and not file.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(file.name, Reason.NOT_TEXT, "is not text: there is a zero byte at its beginning")
    parser = lxml_html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False, recover=True
    )
    try:
        root = lxml_html.document_fromstring(decoded(file.data).encode(), parser=parser)
        if any("depth" in error.message for error in parser.error_log):
            raise SourceError(file.name, Reason.DAMAGED, "has elements nested too deeply to be a paper")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(file.name, Reason.EMPTY, f"holds no HTML: {str(error)[:200]}") from error
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise SourceError(file.name, Reason.TOO_LARGE, f"has more than {MOST_ELEMENTS:,} elements; split it")
    return root


def decoded(data: bytes) -> str:
    """Return a page's text by its byte order mark, what it declares, UTF-8, or else Windows' Western letters."""
    declared = DECLARED.search(data, 0, DECLARED_WITHIN)
    names = [name for mark, name in MARKS if data.startswith(mark)]
    names += [declared[1].decode()] if declared else []
    for name in (*names, "utf-8"):
        try:
            text = data.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
        except (LookupError, UnicodeError):
            continue
        return _without_declaration(text)
    return _without_declaration(data.decode("cp1252", errors="replace"))


def _without_declaration(text: str) -> str:
    return re.sub(r"\A\s*<\?xml[^>]*\?>", "", text).replace("\0", "")


def _main(root: Node) -> Node:
    """Return the element that holds a page's main text."""
    body = root.find("body")
    body = root if body is None else body
    paragraphs = [p for p in body.iter("p") if not _is_passed_over(p)]
    whole = sum(len(words_of(p)) for p in paragraphs)
    named = [
        node
        for node in body.iter("article", "main", "div", "section")
        if name_of(node) in ("article", "main") or node.get("role") == "main" or "ltx_page_content" in classes_of(node)
    ]
    held = {node: sum(len(words_of(p)) for p in node.iter("p") if not _is_passed_over(p)) for node in named}
    large = [node for node in named if whole and held[node] >= MAIN_SHARE * whole]
    if large:
        return min(large, key=lambda node: (held[node] < max(held.values()) * 0.95, len(list(node.iter()))))
    return _by_trafilatura(body) if whole and sum(1 for _ in body.iter()) <= MOST_FOR_TRAFILATURA else body


def _by_trafilatura(body: Node) -> Node:
    """Return the smallest element that holds nine tenths of what trafilatura takes for the main text."""
    from trafilatura import bare_extraction  # slow to import

    extracted = bare_extraction(
        lxml_html.tostring(body, encoding="unicode"), include_comments=False, with_metadata=False
    )
    text = getattr(extracted, "text", None) or ""
    wanted = Counter(filter(None, (fold_text(line) for line in text.splitlines())))
    if not wanted:
        return body
    blocks = [
        node for node in body.iter("p", "li", "td", "pre", "blockquote", "div", *HEADINGS) if not _is_passed_over(node)
    ]
    matched = [node for node in blocks if fold_text(words_of(node)) in wanted]
    total = sum(len(words_of(node)) for node in matched)
    best = body
    while total:
        inside = [
            (child, sum(len(words_of(n)) for n in matched if n is child or child in n.iterancestors()))
            for child in best
        ]
        child, n_chars = max(inside, key=lambda pair: pair[1], default=(best, 0))
        if n_chars < 0.9 * total or child in matched:
            return best
        best = child
    return best


def _references(root: Node) -> list[Node]:
    """Return the entries of lists of references that are marked as such, in order."""
    found: dict[Node, None] = {}
    for node in root.iter("ol", "ul", "div", "section", "dl"):
        marked = node.get("role") == "doc-bibliography" or REFERENCE_LIST.search(
            f"{node.get('id') or ''} {node.get('class') or ''}"
        )
        if not marked or node in found:
            continue
        for part in node.iter("li", "div", "p"):
            is_entry = name_of(part) == "li" or part.get("role") == "doc-biblioentry" or "csl-entry" in classes_of(part)
            if is_entry and not any(above in found for above in part.iterancestors()) and words_of(part):
                found[part] = None
    return list(found)


def _entry(node: Node, number: int) -> Reference:
    text = re.sub(
        r"^(?:\[?\d{1,4}[\].]?|↑|\^)\s+", "", words_of(node, leave_out=("mw-cite-backlink", "ltx_tag_bibitem"))
    )
    links = [link.get("href") or "" for link in node.iter("a")]
    title = next(iter(of_class(node, "ltx_bib_title", "citation-title", "title", "article-title")), None)
    label = words_of(next(iter(of_class(node, "ltx_tag_bibitem")), None)).strip("[]() .")
    return reference(
        label=label if CITES_BY_NUMBER.fullmatch(label) else node.get("id") or str(number),
        text=text,
        title=words_of(title) or None,
        year=_last_year(text),
        doi=next(filter(None, (doi_of(link) for link in links if "doi.org/" in link)), None),
        arxiv_id=next(filter(None, (arxiv_of(link) for link in links if "arxiv.org/abs/" in link)), None),
    )


def _last_year(text: str) -> int | None:
    found = re.search(r"\((\d{4})[a-z]?\)", text)
    return year_of(found[1]) if found else year_of(text)


def _told_references(root: Node) -> Iterator[Reference]:
    """Yield the references that Highwire's tags list: ``citation_title=…; citation_author=…; …``."""
    for number, told in enumerate(_told(root, "citation_reference"), start=1):
        fields: dict[str, list[str]] = {}
        for part in told.split(";"):
            name, equals, value = part.partition("=")
            if equals and value.strip():
                fields.setdefault(name.strip().removeprefix("citation_"), []).append(value.strip())
        authors = [inverted(name) for name in fields.get("author", [])]
        title, doi = next(iter(fields.get("title", [])), ""), next(iter(fields.get("doi", [])), "")
        year = year_of(next(iter(fields.get("publication_date", fields.get("year", []))), ""))
        place = next(iter(fields.get("journal_title", fields.get("inbook_title", []))), "")
        printed = ". ".join(
            filter(None, (", ".join(authors), str(year or ""), title, place, f"doi:{doi}" if doi else ""))
        )
        yield reference(
            label=next(iter(fields.get("id", [])), str(number)),
            text=printed or told,
            title=title,
            authors=authors,
            year=year,
            doi=doi_of(doi),
        )


def _front(root: Node) -> FrontMatter:
    title = next(iter(_told(root, "citation_title", "dc.title", "dcterms.title", "og:title")), "")
    authors = [inverted(name) for name in _told(root, "citation_author", "dc.creator", "dcterms.creator")]
    authors = authors or [words_of(node) for node in of_class(root, "ltx_personname")]
    if not authors:
        authors = [name for name in _told(root, "author") if name.count(" ") < 6]
    dates = _told(
        root,
        *("citation_publication_date", "citation_date", "citation_online_date", "citation_year", "dc.date"),
        *("dcterms.issued", "article:published_time"),
    )
    arxiv = next(iter(_told(root, "citation_arxiv_id")), "")
    license_link = next(
        (link.get("href") for link in root.iter("link", "a") if "license" in (link.get("rel") or "").split()), None
    )
    ids = (*_told(root, "citation_doi"), *(i for i in _told(root, "dc.identifier") if "10." in i))
    return FrontMatter(
        title=title or _title(root),
        authors=[name for name in authors if name],
        year=next(filter(None, map(year_of, dates)), None),
        doi=next(filter(None, (doi_of(i.removeprefix("doi:").strip()) for i in ids)), None),
        arxiv_id=arxiv_of(arxiv),
        categories=_told(root, "citation_keywords") if len(_told(root, "citation_keywords")) > 1 else (),
        license=license_link if license_link and license_link.startswith("http") else None,
    )


def _title(root: Node) -> str:
    """Return a page's title: the heading that its ``title`` names, or its only one of the first level."""
    named = words_of(root.find(".//title"))
    headings = [words_of(node) for node in root.iter("h1") if words_of(node)]
    in_title = [heading for heading in headings if fold_text(heading) and fold_text(heading) in fold_text(named)]
    if in_title:
        return max(in_title, key=len)
    return headings[0] if len(headings) == 1 else named


def _told(root: Node, *names: str) -> list[str]:
    """Return what a page's ``meta`` tags say under the first of ``names`` that they have."""
    said: dict[str, list[str]] = {}
    for node in root.iter("meta"):
        name = (node.get("name") or node.get("property") or "").lower()
        content = " ".join((node.get("content") or "").split())
        if name in names and content:
            said.setdefault(name, []).append(content)
    return next((said[name] for name in names if name in said), [])


def _is_passed_over(node: Node) -> bool:
    return without_passed_over(node) or any(
        without_passed_over(above) for above in node.iterancestors() if name_of(above) != "html"
    )


PARSER = Parser(
    format=Format.HTML,
    endings=(".html", ".htm", ".xhtml"),
    media_types={"text/html": ".html", "application/xhtml+xml": ".html"},
    magic={},
    sandboxed=True,
    version="11",
    parse=parse,
    markup=True,
    order=6,
)
