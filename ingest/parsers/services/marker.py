"""marker's server: a tree of blocks by page, as JSON, each block's content as HTML.

Requests follow ``marker_server``'s ``/marker/upload``, blocks marker's JSON renderer
(https://github.com/datalab-to/marker#json). Formulas are LaTeX in ``math`` elements; its list of references is running
text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from lxml import etree
from lxml import html as lxml_html

from papergraph.ingest.parsers import html
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.document import Document, HeadingSource
from papergraph.ingest.parsers.services.client import Client, identifiers
from papergraph.ingest.sources import RawDocument

Block: TypeAlias = Mapping[str, Any]

PATH = "/marker/upload"
FORM = {"output_format": "json"}
DEEPEST = 100
MARGINS = frozenset({"PageHeader", "PageFooter"})
NOT_IN_TEXT = MARGINS | {"TableOfContents", "Picture", "Figure"}


def parse(file: RawDocument, client: Client) -> Document:
    """Have a PDF read by marker.

    Raises:
        SourceError: The service failed, or found no text.
    """
    answer = client.json(client.post(PATH, field="file", form=FORM))
    if answer.get("success") is not True:
        raise client.failed(f"failed ({str(answer.get('error', 'without a reason'))[:200]})")
    content = answer.get("output")
    tree: Any = client.json(content.encode()) if isinstance(content, str) else content
    try:
        return _document(file, tree["children"])
    except (KeyError, TypeError, ValueError, AttributeError, etree.LxmlError, RecursionError) as error:
        raise client.failed("answers blocks that cannot be read") from error


def _document(file: RawDocument, pages: list[Block]) -> Document:
    title = _title(pages)
    writer = html.Writer((), title)
    for number, page in enumerate(pages, start=1):
        for block in page.get("children") or ():
            writer.composer.page(number)
            _write(writer, block, 0)
    doi, arxiv_id = identifiers(_beside_text(pages))
    document = writer.composer.document(file, file.format, FrontMatter(title=title, doi=doi, arxiv_id=arxiv_id))
    return replace(document, n_pages=len(pages), heading_source=HeadingSource.MARKER)


def _title(pages: list[Block]) -> str:
    """Return the first heading of the first level on the first page."""
    for block in _first_page(pages):
        if block["block_type"] == "SectionHeader":
            heading = _fragment(block).find(".//h1")
            if heading is not None:
                return _words(heading)
    return ""


def _beside_text(pages: list[Block]) -> Iterator[str]:
    """Yield the first page's margins, and what it holds before a second heading."""
    n_headings = 0
    for block in _first_page(pages):
        n_headings += block["block_type"] == "SectionHeader"
        if n_headings <= 1 or block["block_type"] in MARGINS:
            yield _words(_fragment(block))


def _first_page(pages: list[Block]) -> list[Block]:
    return pages[0].get("children") or [] if pages else []


def _write(writer: html.Writer, block: Block, depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError("its blocks are nested without end")
    if children := block.get("children"):
        captions_first = sorted(children, key=lambda child: child["block_type"] != "Caption")
        for child in captions_first if block["block_type"].endswith("Group") else children:
            _write(writer, child, depth + 1)
    elif block["block_type"] not in NOT_IN_TEXT:
        writer.page(_fragment(block))


def _fragment(block: Block) -> etree._Element:
    """Return a block's HTML as elements, its LaTeX where a page would have it."""
    root = lxml_html.fragment_fromstring(str(block.get("html") or ""), create_parent="div")
    for math in root.iter("math"):
        if not len(math):  # LaTeX, no MathML
            displayed = math.get("display") == "block" or block["block_type"] == "Equation"
            math.tag = "script"
            math.set("type", "math/tex; mode=display" if displayed else "math/tex")
    if block["block_type"] == "Caption":
        root.tag = "figcaption"
        outside = lxml_html.Element("div")
        outside.append(lxml_html.Element("figure"))
        outside[0].append(root)
        return outside
    return root


def _words(node: etree._Element) -> str:
    return " ".join("".join(node.itertext()).split())
