"""arXiv as a source: ``arxiv:ID`` is a paper, with its metadata from the API and its text from the PDF.

Searches and downloads alike share one request each three seconds for the whole process: the gate is in
:class:`papergraph.outbound.Outside`, so nothing gets around it.
"""

import hashlib
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from ingest.sources.arxiv_xml import AnswerError, Page, Record, RefusedError, read_feed, read_history
from ingest.sources.metadata import BadRecordError, metadata_of
from ingest.sources.refusals import refused, withdrawn
from ingest.sources.source import DocumentRef, Format, RawDocument, hash_content
from papergraph.errors import (
    BlockedUrlError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    Reason,
    SourceError,
)
from schema.ids import ARXIV

if TYPE_CHECKING:
    from papergraph.outbound import Outside

NAMED = re.compile(
    rf"(?i:arxiv:\s*|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)"
    rf"(?P<id>{ARXIV.pattern})(?P<version>v[1-9][0-9]{{0,3}})?(?:\.pdf)?/?"
)
SUBJECT_CLASS = re.compile(r"\.[A-Z]{2}(?=/)")
"""Part of old ids that arXiv itself leaves out: math.GT/0309136 is math/0309136."""

IDS_AT_ONCE = 100
ATTEMPTS, FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 5.0, 120.0
THROTTLED = frozenset({403, 406})
"""What arXiv answers to those who ask too much, beside what servers usually say."""

LARGEST_ANSWER_BYTES = 20_000_000
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Places:
    """Where arXiv answers; ids are put at the end of ``pdf`` and ``source``."""

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
            OutboundError: arXiv cannot be asked, or gives no answer that can be used.
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
        """Return what the API says of a paper, given by its id with or without version; None if it has none.

        Raises:
            OutboundError: arXiv cannot be asked, or gives no answer that can be used.
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
            OutboundError: arXiv cannot be asked, or gives no answer that can be used.
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
        """Return a paper's source as it was sent to arXiv: gzip of a tar or of one file, or a PDF.

        Raises:
            OutboundError: It cannot be fetched, or there is none.
        """
        return self._ask(self._places.source + arxiv_id, _source, max_bytes=max_bytes)

    def _ask(self, url: str, read: Callable[[bytes], Answer], *, max_bytes: int = LARGEST_ANSWER_BYTES) -> Answer:
        pause_s = FIRST_PAUSE_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                data = self._outside.get(url, max_bytes=max_bytes, packed=True).data
                try:
                    return read(data)
                except AnswerError as error:
                    raise OutboundError(url, f"was answered with what cannot be used: {error}") from error
            except OutboundError as error:
                wait_s = getattr(error, "retry_after_s", None) or pause_s
                if attempt == ATTEMPTS or not may_pass(error) or wait_s > LONGEST_PAUSE_S:
                    raise
            self._outside.hold(url, wait_s)
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
    """Whether the same request may be answered later: throttled, overloaded, silent, or not what was asked for."""
    if isinstance(error, OutboundStatusError):
        return error.may_pass or error.status in THROTTLED
    lasting = isinstance(error, BlockedUrlError | OutboundTooLargeError) or isinstance(error.__cause__, RefusedError)
    return not lasting
