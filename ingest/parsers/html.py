"""HTML to the document model: a page's main text with its sections, tables, formulas, captions and marked references.

What the main text is, the page says itself (``article``, ``main``), else trafilatura finds it; headings, tables and
formulas are then read from the page's own elements, since trafilatura keeps only some of them. Scripts, styles, forms,
frames and what is hidden are passed over; nothing is run or fetched. Metadata are the ``citation_…`` tags that
publishers write for Google Scholar (Highwire), Dublin Core's, else Open Graph's.
"""

import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree
from lxml import html as lxml_html

from ingest.parsers.common.bibliography import arxiv_of, doi_of, reference, year_of
from ingest.parsers.common.composer import FrontMatter
from ingest.parsers.document import Document, Reference
from ingest.parsers.html_writer import (
    HEADINGS,
    Node,
    Writer,
    classes_of,
    fold_text,
    name_of,
    of_class,
    without_passed_over,
    words_of,
)
from ingest.sources import Format, Parser, RawDocument
from papergraph.errors import Reason, SourceError

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
        SourceError: It is no HTML, is nested too deeply, or holds no text.
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
        authors = [_in_order(name) for name in fields.get("author", [])]
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
    authors = [_in_order(name) for name in _told(root, "citation_author", "dc.creator", "dcterms.creator")]
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


def _in_order(name: str) -> str:
    """Return a name as it is spoken; "Lovelace, Ada" is how some write it."""
    surname, comma, given = name.partition(",")
    return f"{given.strip()} {surname.strip()}" if comma and "," not in given else name.strip()


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
    version="10",
    parse=parse,
    markup=True,
    order=6,
)
