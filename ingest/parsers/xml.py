"""XML of papers, read without external entities and passed to the parser of its root element."""

from html.entities import html5

from lxml import etree

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import jats, tei
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.safe_xml import read_xml

ENVELOPES = frozenset({"pmc-articleset", "OAI-PMH", "GetRecord", "record", "metadata"})
"""Roots that PubMed Central puts around an article."""

ROOTS = {"article": jats.parse, "TEI": tei.parse}


def parse(file: RawDocument) -> Document:
    """Parse JATS or TEI.

    Raises:
        SourceError: The XML is malformed, declares entities, has another format than JATS and TEI, or is empty.
    """
    root = _article(file, read(file))
    name = etree.QName(root).localname
    if name not in ROOTS:
        raise SourceError(
            file.name,
            Reason.UNSUPPORTED_TYPE,
            f"is XML with the root <{name[:80]}>: only JATS (<article>) and TEI (<TEI>) are supported",
        )
    try:
        return ROOTS[name](file, root)
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "has elements nested too deeply to be a paper") from error


def _article(file: RawDocument, root: etree._Element) -> etree._Element:
    """Return the one article inside the root of a set or an answer of OAI-PMH, else the root."""
    if etree.QName(root).localname not in ENVELOPES:
        return root
    articles = [node for node in root.iter("{*}article") if node.find("{*}front") is not None]
    if len(articles) > 1:
        raise SourceError(
            file.name,
            Reason.UNSUPPORTED_TYPE,
            f"holds {len(articles)} papers; save each <article> in a file of its own",
        )
    return articles[0] if articles else root


def read(file: RawDocument) -> etree._Element:
    """Return the root of an XML file, named characters such as ``&alpha;`` resolved and nothing else.

    Raises:
        SourceError: It is not well-formed, too deeply nested, or declares entities of its own.
    """
    try:
        root = read_xml(file.data)
    except ValueError as error:
        raise SourceError(file.name, Reason.DAMAGED, str(error)) from error
    declared = root.getroottree().docinfo.internalDTD
    entities = [entity.name for entity in declared.iterentities()] if declared is not None else []
    if entities:
        raise SourceError(
            file.name,
            Reason.DAMAGED,
            f"declares entities of its own, such as {str(entities[0])[:80]}, and these are not expanded; "
            "write them out with xmllint --noent if you trust the file",
        )
    for entity in list(root.iter(etree.Entity)):
        _replace(entity, html5.get(f"{entity.name};", ""))
    return root


def _replace(entity: etree._Element, text: str) -> None:
    parent, before = entity.getparent(), entity.getprevious()
    if parent is None:
        return
    text += entity.tail or ""
    entity.tail = None
    if before is None:
        parent.text = (parent.text or "") + text
    else:
        before.tail = (before.tail or "") + text
    parent.remove(entity)


PARSER = Parser(
    format=Format.XML,
    endings=(".xml", ".nxml"),
    media_types=dict.fromkeys(("application/xml", "application/jats+xml", "application/tei+xml", "text/xml"), ".xml"),
    magic={},
    sandboxed=True,
    version="11",
    parse=parse,
    markup=True,
    order=3,
)
