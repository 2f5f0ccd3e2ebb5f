"""Feeds of watches: Atom (RFC 4287) and JSON Feed 1.1."""

from typing import Any
from urllib.parse import quote

from lxml import etree

from papergraph.server.operations.inbox import InboxItem
from papergraph.server.operations.watches import Watch

ATOM = "http://www.w3.org/2005/Atom"
VERSION = "https://jsonfeed.org/version/1.1"
NO_CHARACTER = dict.fromkeys(code for code in range(32) if code not in (9, 10, 13))


def atom_feed(watch: Watch, items: list[InboxItem]) -> bytes:
    """Return the finds of a watch as an Atom feed."""
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})
    _add(feed, "id", f"urn:papergraph:{watch.id}")
    _add(feed, "title", title_of(watch))
    _add(feed, "updated", items[0].found_at.isoformat() if items else watch.next_at)
    for item in items:
        entry = etree.SubElement(feed, f"{{{ATOM}}}entry")
        _add(entry, "id", f"urn:sha256:{item.id}")
        _add(entry, "title", item.title)
        _add(entry, "updated", item.found_at.isoformat())
        for name in item.authors or ("unknown",):
            _add(etree.SubElement(entry, f"{{{ATOM}}}author"), "name", name)
        if url := url_of(item):
            etree.SubElement(entry, f"{{{ATOM}}}link", href=url)
        _add(entry, "summary", item.abstract)
    return bytes(etree.tostring(feed, xml_declaration=True, encoding="utf-8"))


def json_feed(watch: Watch, items: list[InboxItem]) -> dict[str, Any]:
    """Return the finds of a watch as a JSON feed."""
    return {
        "version": VERSION,
        "title": title_of(watch),
        "items": [
            {
                "id": f"urn:sha256:{item.id}",
                "title": item.title,
                "content_text": item.abstract,
                "date_published": item.found_at.isoformat(),
                "authors": [{"name": name} for name in item.authors],
                **({"url": url} if (url := url_of(item)) else {}),
            }
            for item in items
        ],
    }


def title_of(watch: Watch) -> str:
    """Return the title of a watch's feed."""
    return " ".join(filter(None, (f"papergraph: {watch.kind}", watch.subject)))


def url_of(item: InboxItem) -> str | None:
    """Return a page about an item; None if it has neither DOI nor arXiv id."""
    if item.doi:
        return f"https://doi.org/{quote(item.doi)}"
    return f"https://arxiv.org/abs/{quote(item.arxiv_id)}" if item.arxiv_id else None


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}").text = text.translate(NO_CHARACTER)
