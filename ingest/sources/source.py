"""Sources of documents: references, raw documents, and refusals."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from papergraph.errors import (
    BlockedUrlError,
    Code,
    InputError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    Reason,
    SourceError,
)
from papergraph.settings import Settings

if TYPE_CHECKING:
    from papergraph.ingest.sources.web import Web


# PDFs that a service of one's own reads: which one, where, and for how long


OWN = "builtin"
SETTING, ENGINE = "PAPERGRAPH_PARSER_URL", "PAPERGRAPH_PARSER_ENGINE"
NAMES = ("docling", "marker", "grobid")


@dataclass(frozen=True)
class PdfService:
    """A service that reads PDFs.

    Attributes:
        name: ``docling``, ``marker`` or ``grobid``.
        url: Its address, such as ``http://127.0.0.1:5001``; it may be in a private network.
        timeout_s: Longest time for one PDF, waiting for a busy service included.
        max_bytes: Longest answer.
    """

    name: str
    url: str
    timeout_s: float = 300.0
    max_bytes: int = 100_000_000

    def __post_init__(self) -> None:
        from papergraph.outbound.operator_service import check_service

        try:
            check_service(self.url)
        except BlockedUrlError as error:
            raise InputError(f"{SETTING}: {self.name} {error.detail}", field="parser") from error


def chosen_service(settings: Settings, name: str | None = None) -> PdfService | None:
    """Return the service that parses PDFs, by name or from the settings; None for the built-in parser.

    Raises:
        InputError: The service is unknown, or its address is missing.
    """
    name = name or settings.parser.engine
    if name == OWN:
        return None
    if name not in NAMES:
        raise InputError(f"Parser {name!r} does not exist. Choose {OWN}, docling, marker or grobid.", field="parser")
    engine = settings.parser.engine
    if engine not in (OWN, name):
        raise InputError(f"{SETTING} is the address of {engine}. Set it and {ENGINE} for {name}.", field="parser")
    if not settings.parser.url:
        raise InputError(
            f"Parser {name} has no address. Set {SETTING}, for example to http://127.0.0.1:8070.", field="parser"
        )
    return PdfService(name, settings.parser.url, settings.parser.timeout_s)


# Interface of sources: found documents, and their bytes with metadata


class Format(StrEnum):
    """Formats of built-in parsers; XML is distinguished by its root element. Other parsers have other names."""

    MARKDOWN = "markdown"
    TEXT = "text"
    PDF = "pdf"
    XML = "xml"
    JATS = "jats"
    TEI = "tei"
    LATEX = "latex"
    DOCX = "docx"
    ODT = "odt"
    EPUB = "epub"
    PPTX = "pptx"
    RTF = "rtf"
    HTML = "html"
    RECORD = "record"
    """Metadata alone, such as a line of JSONL or an entry of a bibliography."""


@dataclass(frozen=True)
class Metadata:
    """Metadata of a document from its source, which override the parser's. Unknown fields are empty.

    Attributes:
        title: Title.
        abstract: Abstract.
        authors: Names in the paper's order.
        author_ids: Ids of these persons, such as ``orcid:…``, '' where unknown; empty where all are.
        year: Year of publication.
        doi: DOI in lower case.
        arxiv_id: arXiv id without version.
        arxiv_version: Version at arXiv, from 1.
        primary_category: The first of its subject categories.
        categories: Subject categories, including the primary one.
        license: Licence of the text.
        published: Date of publication of the first version, with time zone.
        updated: Date of publication of this version, with time zone.
        comment: The authors' comment, such as the number of pages.
        journal_ref: Other publication of the paper.
        url: Page about the paper.
        references: Cited works in CSL-JSON, for documents whose own reference list is not read.
        file: Path of the text, in a bibliography.
        affiliations: Institutions of the authors, each once.
        affiliation_ids: Ids with their names, such as ``ror:05f950310 KU Leuven``.
        venue_ids: Ids of the venue in ``journal_ref``, such as ``issn:1548-7660``.
        keywords: Keywords.
        cite_key: Citation key in a bibliography.
        record: The record of a bibliography as it was written, see :mod:`papergraph.ingest.sources.csl`.
        remarks: Fields that were left out and files that were not found, in words.
    """

    title: str | None = None
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    arxiv_version: int | None = None
    primary_category: str | None = None
    categories: tuple[str, ...] = ()
    license: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    comment: str | None = None
    journal_ref: str | None = None
    url: str | None = None
    references: tuple[Mapping[str, Any], ...] = ()
    file: str | None = None
    author_ids: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    affiliation_ids: tuple[str, ...] = ()
    venue_ids: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    cite_key: str | None = None
    record: str | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawDocument:
    """A document's bytes as they were read.

    Attributes:
        name: Where it is from: an absolute path, a URL, ``arxiv:…``, or ``path#record``.
        data: All bytes.
        format: Name of the format, which chooses the parser.
        content_hash: sha-256 hex of what is read: :func:`hash_content` of ``data`` and ``metadata``.
        metadata: What the source says of it beside the bytes.
        read_by: The service that parses it, where it is a PDF that our own parser does not.
    """

    name: str
    data: bytes = field(repr=False)
    format: str
    content_hash: str
    metadata: Metadata | None = None
    read_by: PdfService | None = None

    @property
    def key(self) -> str:
        """Key of a paper without DOI and arXiv id."""
        return f"file:{self.name}" if PurePath(self.name).is_absolute() else self.name


def hash_content(data_hash: str, metadata: Metadata | None = None) -> str:
    """Return the sha-256 hex of a document: that of its bytes, ``data_hash``, unless metadata stands beside them."""
    if metadata is None:
        return data_hash
    told = [f"{name}={value!r}" for name, value in _known(metadata)]
    return hashlib.sha256("\n".join((data_hash, *told)).encode()).hexdigest()


def _known(metadata: Metadata) -> list[tuple[str, object]]:
    values = ((item.name, getattr(metadata, item.name)) for item in fields(metadata))
    return [(name, value.isoformat() if isinstance(value, datetime) else value) for name, value in values if value]


class DocumentRef(ABC):
    """A document that was found and not read yet; it can be pickled, unless it lies outside."""

    name: str
    """Name of the source, as :attr:`SourceFile.name`."""

    @property
    def known_format(self) -> str | None:
        """The format, where it is known before the document is read; of what has to be fetched it is not."""
        return None

    @abstractmethod
    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the content hash that :meth:`read` would give; None where it would refuse, or has to fetch first."""

    @abstractmethod
    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the document.

        Raises:
            SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
        """


def hash_by_reading(document: DocumentRef, *, max_bytes: int) -> str | None:
    """Return the content hash of a document that lies here by reading it; None where it refuses to be read."""
    try:
        return document.read(max_bytes=max_bytes).content_hash
    except SourceError:
        return None


@dataclass(frozen=True)
class Source:
    """A kind of source: a module of ``papergraph.ingest.sources`` defines one as its ``SOURCE``.

    Attributes:
        name: What it is called.
        accepts: Says whether what a user names is of this kind; nothing is read or fetched.
        find: Returns the documents of a name in a stable order, and an error where it has none. Its second argument is
            the way to what lies outside, or None; nothing is fetched before a document is read.
        order: Place among the sources; files, which accept every name, are the last.
    """

    name: str
    accepts: Callable[[str], bool]
    find: "Callable[[str, Web | None], list[DocumentRef | SourceError]]"
    order: int = 0


# Why documents are refused that lie outside, or that their authors took back


GONE = frozenset({404, 410})


def refused(name: str, error: OutboundError) -> SourceError:
    """Return why the document ``name`` is refused."""
    detail = error.detail if error.url == name else str(error)
    return SourceError(name, _reason(error), detail)


def withdrawn(name: str, metadata: Metadata) -> SourceError:
    """Return why a withdrawn paper is refused, with what its authors say."""
    said = f": «{metadata.comment[:300]}»" if metadata.comment else ""
    version = metadata.arxiv_version or 0
    earlier = f"; an earlier version may be there: arxiv:{metadata.arxiv_id}v{version - 1}" if version > 1 else ""
    return SourceError(name, Reason.WITHDRAWN, f"was withdrawn{said}{earlier}")


def _reason(error: OutboundError) -> Reason:
    match error:
        case BlockedUrlError():
            return Reason.BLOCKED
        case OutboundTooLargeError():
            return Reason.TOO_LARGE
        case OutboundError(code=Code.TIMEOUT):
            return Reason.OUT_OF_TIME
        case OutboundStatusError(status=status) if status in GONE:
            return Reason.NOT_FOUND
        case _:
            return Reason.UNREACHABLE
