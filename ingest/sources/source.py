"""What every source gives: documents that were found, and each one's bytes with what is known of it beforehand."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ingest.sources.pdf_service import PdfService

if TYPE_CHECKING:
    from ingest.sources.web import Web
    from papergraph.errors import SourceError


class Format(StrEnum):
    """Formats of our own parsers; XML is told apart by its root when it is parsed. Other parsers have other names."""

    MARKDOWN = "markdown"
    TEXT = "text"
    PDF = "pdf"
    XML = "xml"
    JATS = "jats"
    TEI = "tei"
    LATEX = "latex"
    DOCX = "docx"
    HTML = "html"
    RECORD = "record"
    """Metadata alone, such as a line of JSONL or an entry of a bibliography."""


@dataclass(frozen=True)
class Metadata:
    """What a source says of a document; it goes before what a parser finds in the text. Empty is not known.

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
        categories: Subject categories, the primary one among them.
        license: Licence of the text.
        published: When it, or its first version, was published, with time zone.
        updated: When this version was published, with time zone.
        comment: The authors' comment, such as the number of pages.
        journal_ref: Where else it was published.
        url: A page that tells of it.
        references: What it cites, in CSL-JSON, for documents whose own list of references is not read.
        file: Path of the file that a bibliography names as its text.
        affiliations: Institutions of the authors, each once.
        affiliation_ids: Ids with the names that they belong to, such as ``ror:05f950310 KU Leuven``.
        venue_ids: Ids of what ``journal_ref`` names, such as ``issn:1548-7660``.
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
        """The key of a paper that has neither DOI nor arXiv id."""
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
    """Where it is from, as :attr:`SourceFile.name`."""

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


@dataclass(frozen=True)
class Source:
    """A kind of source: a module of ``ingest.sources`` defines one as its ``SOURCE``.

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
