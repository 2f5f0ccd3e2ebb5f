"""Metadata of papers on arXiv."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from lxml import etree

from papergraph.errors import (
    BlockedUrlError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    Reason,
    SourceError,
)
from papergraph.ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.ingest.sources.source import DocumentRef, Format, RawDocument, hash_content, refused, withdrawn
from papergraph.safe_xml import read_xml
from papergraph.schema.ids import ARXIV

if TYPE_CHECKING:
    from papergraph.outbound import Outside


# Records from arXiv's answers: feeds of its API (Atom), and histories of papers (arXivRaw over OAI-PMH).
#
# A record has the names of fields that :func:`papergraph.ingest.sources.metadata.metadata_of` knows, and what is
# empty is left
# out.
#
# Source: arXiv API User's Manual; what it does not say (errors come with status 200 too, an abstract outlives its
# paper) is from the threads of those who use it.


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
    """Return the records of a feed of the API; entries without an id are left out.

    Raises:
        AnswerError: The feed is malformed; a RefusedError if it reports an error.
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


# arXiv as a source: ``arxiv:ID`` is a paper, with its metadata from the API and its text from the PDF.
#
# Searches and downloads alike share one request each three seconds for the whole process: the gate is in
# :class:`papergraph.outbound.Outside`, so nothing gets around it.


NAMED = re.compile(
    rf"(?i:arxiv:\s*|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)"
    rf"(?P<id>{ARXIV.pattern})(?P<version>v[1-9][0-9]{{0,3}})?(?:\.pdf)?/?"
)
SUBJECT_CLASS = re.compile(r"\.[A-Z]{2}(?=/)")
"""Part of old ids that arXiv itself leaves out: math.GT/0309136 is math/0309136."""

IDS_AT_ONCE = 100
ATTEMPTS, FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 5.0, 120.0
THROTTLED = frozenset({403, 406})
"""arXiv's own status codes for too many requests."""

LARGEST_ANSWER_BYTES = 20_000_000
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Places:
    """Addresses of arXiv; ids are appended to ``pdf`` and ``source``."""

    api: str = "https://export.arxiv.org/api/query"
    oai: str = "https://oaipmh.arxiv.org/oai"
    pdf: str = "https://export.arxiv.org/pdf/"
    source: str = "https://export.arxiv.org/src/"

    @classmethod
    def below(cls, url: str) -> "Places":
        """Return the places of a mirror."""
        url = url.rstrip("/")
        return cls(f"{url}/api/query", f"{url}/oai", f"{url}/pdf/", f"{url}/src/")


class Arxiv:
    """Asks arXiv; what may pass is tried again, after as long as arXiv says. May be used from several threads."""

    def __init__(self, outside: "Outside", *, places: Places | None = None) -> None:
        """Ask nothing yet.

        Args:
            outside: The way out, with arXiv's gate.
            places: Where arXiv answers, if not at its own.
        """
        self._outside = outside
        self._places = places or Places()
        self._lock = threading.Lock()
        self._wanted: list[str] = []
        self._known: dict[str, Record] = {}

    def search(self, query: str, *, sort: str, start: int, n: int) -> Page:
        """Return ``n`` papers of a search from number ``start``, from 0.

        Args:
            query: In the API's language.
            sort: ``relevance``, ``submittedDate`` or ``lastUpdatedDate``; the best or newest come first.
            start: How many papers to skip.
            n: How many to give, at most 2000.

        Raises:
            OutboundError: arXiv is unavailable, or its answer is unusable.
        """
        asked = {"search_query": query, "start": start, "max_results": n, "sortBy": sort, "sortOrder": "descending"}

        def read(data: bytes) -> Page:
            page = read_feed(data)
            if not page.records and start < page.n_total:
                raise AnswerError(f"a page without papers, {start} of {page.n_total}")
            return page

        return self._ask(f"{self._places.api}?{urlencode(asked)}", read)

    def expect(self, ids: Iterable[str]) -> None:
        """Hear which ids :meth:`record` will be asked for, so that it can ask for many at once."""
        with self._lock:
            self._wanted += [each for each in ids if each not in self._wanted]

    def record(self, arxiv_id: str) -> Record | None:
        """Return the API's record of a paper, by its id with or without version; None if arXiv lacks it.

        Raises:
            OutboundError: arXiv is unavailable, or its answer is unusable.
        """
        with self._lock:
            if arxiv_id not in self._known:
                waiting = [each for each in self._wanted if each != arxiv_id and each not in self._known]
                self._look_up([arxiv_id, *waiting[: IDS_AT_ONCE - 1]])
            return self._known[arxiv_id] or None

    def _look_up(self, ids: list[str]) -> None:
        asked = urlencode({"id_list": ",".join(ids), "max_results": len(ids)})
        page = self._ask(f"{self._places.api}?{asked}", read_feed)
        found = {record["arxiv_id"]: record for record in page.records}
        found |= {record["arxiv_id"] + record["version"]: record for record in page.records}
        for each in ids:
            self._known[each] = found.get(each, {})

    def history(self, arxiv_id: str) -> Record:
        """Return all versions of a paper, its licence and submitter.

        Raises:
            OutboundError: arXiv is unavailable, or its answer is unusable.
        """
        asked = {"verb": "GetRecord", "metadataPrefix": "arXivRaw", "identifier": f"oai:arXiv.org:{arxiv_id}"}
        return self._ask(f"{self._places.oai}?{urlencode(asked)}", read_history)

    def pdf(self, arxiv_id: str, *, max_bytes: int) -> bytes:
        """Return a paper's PDF, of the version in its id, or the newest.

        Raises:
            OutboundError: It cannot be fetched, or there is none.
        """
        return self._ask(self._places.pdf + arxiv_id, _pdf, max_bytes=max_bytes)

    def source(self, arxiv_id: str, *, max_bytes: int) -> bytes:
        """Return a paper's source as submitted to arXiv: gzip of a tar or of one file, or a PDF.

        Raises:
            OutboundError: It cannot be fetched, or there is none.
        """
        return self._ask(self._places.source + arxiv_id, _source, max_bytes=max_bytes)

    def _ask(self, url: str, read: Callable[[bytes], Answer], *, max_bytes: int = LARGEST_ANSWER_BYTES) -> Answer:
        def ask() -> Answer:
            data = self._outside.get(url, max_bytes=max_bytes, packed=True).data
            try:
                return read(data)
            except AnswerError as error:
                raise OutboundError(url, f"was answered with what cannot be used: {error}") from error

        return ask_patiently(self._outside, url, ask)


def ask_patiently(outside: "Outside", url: str, ask: Callable[[], Answer]) -> Answer:
    """Return what a request gives; repeat it after a temporary failure, when the host allows it.

    Raises:
        OutboundError: The failure lasts, or the host asks to wait longer than :data:`LONGEST_PAUSE_S`.
    """
    pause_s = FIRST_PAUSE_S
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ask()
        except OutboundError as error:
            wait_s = getattr(error, "retry_after_s", None) or pause_s
            if attempt == ATTEMPTS or not may_pass(error) or wait_s > LONGEST_PAUSE_S:
                raise
        outside.hold(url, wait_s)
        pause_s *= 2
    raise AssertionError("the last attempt returns or raises")


@dataclass(frozen=True)
class ArxivPaper(DocumentRef):
    """A paper at arXiv.

    Attributes:
        name: ``arxiv:ID``, with the version if one was asked for.
        arxiv_id: The same without ``arxiv:``.
        arxiv: Whom to ask.
    """

    name: str
    arxiv_id: str
    arxiv: Arxiv = field(repr=False, compare=False)

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return None: it has to be fetched."""
        return None

    def read(self, *, max_bytes: int) -> RawDocument:
        """Fetch the metadata, with those of other papers that were asked for, and the PDF.

        Raises:
            SourceError: There is no such paper, it was withdrawn, or it cannot be fetched.
        """
        try:
            record = self.arxiv.record(self.arxiv_id)
            if record is None:
                raise SourceError(self.name, Reason.NOT_FOUND, "arXiv has no such paper or version")
            metadata = metadata_of(record)
            if record.get("withdrawn"):
                raise withdrawn(self.name, metadata)
            data = self.arxiv.pdf(record["arxiv_id"] + record["version"], max_bytes=max_bytes)
        except BadRecordError as error:
            raise SourceError(self.name, Reason.BAD_METADATA, f"arXiv says of it what cannot be so: {error}") from error
        except OutboundError as error:
            raise refused(self.name, error) from error
        content = hash_content(hashlib.sha256(data).hexdigest(), metadata)
        return RawDocument(self.name, data, Format.PDF, content, metadata)


def find_arxiv(spec: str) -> str | None:
    """Return the id, with its version if there is one, that ``arxiv:ID`` or a link to a paper at arXiv names."""
    match = NAMED.fullmatch(spec.strip())
    return SUBJECT_CLASS.sub("", match["id"]) + (match["version"] or "") if match else None


def _pdf(data: bytes) -> bytes:
    if b"%PDF-" not in data[:1024]:
        raise AnswerError("it is no PDF")
    return data


def _source(data: bytes) -> bytes:
    if not data.startswith((b"\x1f\x8b", b"%PDF-")):
        raise AnswerError("it is neither gzip nor PDF")
    return data


def may_pass(error: OutboundError) -> bool:
    """Return whether an error is temporary: throttled, overloaded, unreachable, or another answer than requested."""
    if isinstance(error, OutboundStatusError):
        return error.may_pass or error.status in THROTTLED
    lasting = isinstance(error, BlockedUrlError | OutboundTooLargeError) or isinstance(error.__cause__, RefusedError)
    return not lasting
