"""What arXiv answers, to records: feeds of its API (Atom), and histories of papers (arXivRaw over OAI-PMH).

A record has the names of fields that :func:`ingest.sources.metadata.metadata_of` knows, and what is empty is left out.

Source: arXiv API User's Manual; what it does not say (errors come with status 200 too, an abstract outlives its paper)
is from the threads of those who use it.
"""

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from papergraph.safe_xml import read_xml

Record = dict[str, Any]

NAMES = {
    "a": "http://www.w3.org/2005/Atom",
    "x": "http://arxiv.org/schemas/atom",
    "s": "http://a9.com/-/spec/opensearch/1.1/",
    "o": "http://www.openarchives.org/OAI/2.0/",
    "r": "http://arxiv.org/OAI/arXivRaw/",
}
ABSTRACT_PAGE = re.compile(r"https?://arxiv\.org/abs/(?P<id>.+?)v(?P<version>[1-9][0-9]{0,3})")
WITHDRAWN = re.compile(
    r"\s*(?:withdrawn\b|(?:this|the)\s+(?:paper|article|submission|manuscript|preprint|work)\s+(?:has been|is|was)\s+"
    r"(?:now\s+)?withdrawn\b)",
    re.IGNORECASE,
)
EMPTY_SOURCE = ("I", "0kb")
"""Type and size that the source of a withdrawn version has."""


class AnswerError(ValueError):
    """An answer that is not what arXiv's manual says; the message says which."""


class RefusedError(AnswerError):
    """An answer that tells of an error in what was asked."""


@dataclass(frozen=True)
class Page:
    """One page of a search: how many papers there are in all, and the records of some."""

    n_total: int
    records: tuple[Record, ...]


def read_feed(data: bytes) -> Page:
    """Return what a feed of the API holds; an entry without an id, which stands for none, is left out.

    Raises:
        AnswerError: It is no feed; a RefusedError if it tells of an error.
    """
    root = _root(data, f"{{{NAMES['a']}}}feed")
    entries = root.findall("a:entry", NAMES)
    for entry in entries:
        if "/api/errors" in _text(entry, "a:id"):
            raise RefusedError(f"arXiv refused the request: {_text(entry, 'a:summary')[:300]}")
    records = tuple(_of_entry(entry) for entry in entries if ABSTRACT_PAGE.fullmatch(_text(entry, "a:id")))
    total = _text(root, "s:totalResults")
    if not total.isdecimal():
        raise AnswerError("the feed does not say how many papers there are")
    return Page(int(total), records)


def read_history(data: bytes) -> Record:
    """Return what arXivRaw knows beyond the API: all versions with their dates and sizes, licence and submitter.

    Raises:
        AnswerError: It is no such answer; a RefusedError if it tells of an error.
    """
    root = _root(data, f"{{{NAMES['o']}}}OAI-PMH")
    if (error := root.find("o:error", NAMES)) is not None:
        raise RefusedError(
            f"arXiv refused the request: {error.get('code')} {' '.join((error.text or '').split())[:300]}"
        )
    raw = root.find("o:GetRecord/o:record/o:metadata/r:arXivRaw", NAMES)
    versions = [] if raw is None else raw.findall("r:version", NAMES)
    if raw is None or not versions:
        raise AnswerError("the answer holds no paper with versions")
    history: Record = {
        "versions": [
            _full(
                version=version.get("version"),
                created=_text(version, "r:date"),
                size=_text(version, "r:size"),
                source_type=_text(version, "r:source_type"),
            )
            for version in versions
        ],
        "license": _text(raw, "r:license"),
        "submitter": _text(raw, "r:submitter"),
    }
    last = history["versions"][-1]
    if (last.get("source_type"), last.get("size", "").lower()) == EMPTY_SOURCE:
        history["withdrawn"] = True
    return _full(**history)


def _of_entry(entry: etree._Element) -> Record:
    page = ABSTRACT_PAGE.fullmatch(_text(entry, "a:id"))
    if page is None:
        raise AnswerError("an entry has no id")
    primary = entry.find("x:primary_category", NAMES)
    pdf = next((link.get("href") for link in entry.findall("a:link", NAMES) if link.get("title") == "pdf"), None)
    comment = _text(entry, "x:comment")
    return _full(
        arxiv_id=page["id"],
        version=f"v{page['version']}",
        title=_text(entry, "a:title"),
        authors=[_author(author) for author in entry.findall("a:author", NAMES) if _text(author, "a:name")],
        abstract=(entry.findtext("a:summary", namespaces=NAMES) or "").strip(),
        primary_category=None if primary is None else primary.get("term"),
        categories=[category.get("term") for category in entry.findall("a:category", NAMES)],
        published=_text(entry, "a:published"),
        updated=_text(entry, "a:updated"),
        comment=comment,
        journal_ref=_text(entry, "x:journal_ref"),
        doi=_text(entry, "x:doi"),
        abs_url=f"https://arxiv.org/abs/{page['id']}v{page['version']}",
        pdf_url=pdf,
        withdrawn=bool(WITHDRAWN.match(comment)),
    )


def _author(author: etree._Element) -> str | Record:
    name = _text(author, "a:name")
    affiliations = [" ".join((item.text or "").split()) for item in author.findall("x:affiliation", NAMES)]
    return {"name": name, "affiliations": affiliations} if any(affiliations) else name


def _root(data: bytes, tag: str) -> etree._Element:
    try:
        root = read_xml(data)
    except ValueError as error:
        beginning = " ".join(data[:80].decode("utf-8", "replace").split())
        raise AnswerError(f"the answer is no XML but {beginning!r}") from error
    if root.tag != tag:
        raise AnswerError(f"the answer is XML with the root {str(root.tag)[:80]}")
    return root


def _text(element: etree._Element, path: str) -> str:
    return " ".join((element.findtext(path, namespaces=NAMES) or "").split())


def _full(**fields: Any) -> Record:
    return {name: value for name, value in fields.items() if value}
