"""Sources outside: any URL that may be asked for, and arXiv, all by way of :mod:`papergraph.outbound`."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urlsplit

from papergraph.errors import OutboundError, Reason, SourceError
from papergraph.ingest.sources.arxiv import LARGEST_ANSWER_BYTES, Arxiv, ArxivPaper, Places, find_arxiv
from papergraph.ingest.sources.catalogues import Catalogues, is_identifier
from papergraph.ingest.sources.catalogues import find as find_in_catalogues
from papergraph.ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.ingest.sources.parser import endings, media_types, supported
from papergraph.ingest.sources.source import DocumentRef, Metadata, RawDocument, Source, hash_content, refused
from papergraph.settings import Settings

if TYPE_CHECKING:
    from papergraph.outbound import Fetched, Outside

URL = re.compile(r"https?://", re.IGNORECASE)
UPLOADS = "uploads"
"""Folder of uploads below that of all data."""

KEPT = "files"
"""Folder of the files of stored papers below that of all data."""


@dataclass(frozen=True)
class Web:
    """Access to what is outside of this machine's files.

    Attributes:
        outside: Access to URLs.
        arxiv: Access to arXiv.
        uploads: Folder of uploaded files.
        kept: Folder of the files of stored papers.
        together: Names of the uploads of one job, among which bibliographies find their texts.
        catalogues: Catalogues of papers; None if they are disabled.
    """

    outside: "Outside"
    arxiv: Arxiv
    uploads: Path | None = None
    together: tuple[str, ...] = ()
    catalogues: Catalogues | None = None
    kept: Path | None = None

    @classmethod
    def opened(cls, settings: Settings) -> "Web":
        """Return what an operator's settings allow; nothing is asked yet."""
        from papergraph.outbound import open_outside

        outside = open_outside(settings)
        arxiv = Arxiv(outside, places=Places.below(settings.mirrors.arxiv) if settings.mirrors.arxiv else None)
        of, key = settings.mirrors, settings.fetch.openalex_key.get_secret_value()
        catalogues = (
            Catalogues(outside, of.crossref, of.openalex, of.pubmed, key) if settings.fetch.catalogues else None
        )
        return cls(outside, arxiv, settings.home / UPLOADS, catalogues=catalogues, kept=settings.home / KEPT)


def is_outside(spec: str) -> bool:
    """Return whether a name is an identifier or a URL, not a file."""
    return find_arxiv(spec) is not None or URL.match(spec) is not None or is_identifier(spec)


def find_outside(spec: str, web: Web | None) -> DocumentRef | SourceError:
    """Return the document of ``arxiv:ID`` or a URL; it is fetched when it is read.

    Without ``web`` the name is refused.
    """
    arxiv_id = find_arxiv(spec)
    name = urldefrag(spec).url if arxiv_id is None else f"arxiv:{arxiv_id}"
    if web is None:
        return SourceError(name, Reason.BLOCKED, "nothing outside is asked here")
    if arxiv_id is None:
        return WebDocument(name, web.outside)
    web.arxiv.expect([arxiv_id])
    return ArxivPaper(name, arxiv_id, web.arxiv)


def look_up(name: str, web: Web) -> Metadata:
    """Return what arXiv or a catalogue states of an identifier, such as ``arxiv:ID``, ``doi:…`` or ``title:…``.

    Raises:
        SourceError: None has the paper, none can be asked, or catalogues are disabled.
    """
    arxiv_id = find_arxiv(name)
    if arxiv_id is None:
        (found,) = find_in_catalogues(name, web)
        if isinstance(found, SourceError):
            raise found
        return found.read(max_bytes=LARGEST_ANSWER_BYTES).metadata or Metadata()
    try:
        record = web.arxiv.record(arxiv_id)
        if record is None:
            raise SourceError(name, Reason.NOT_FOUND, "arXiv has no paper with this id")
        return metadata_of(record)
    except BadRecordError as error:
        raise SourceError(name, Reason.BAD_METADATA, f"arXiv's record {error}") from error
    except OutboundError as error:
        raise refused(name, error) from error


@dataclass(frozen=True)
class WebDocument(DocumentRef):
    """Document at a URL, which is its ``name``."""

    name: str
    outside: "Outside" = field(repr=False, compare=False)

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return None: it has to be fetched."""
        return None

    def read(self, *, max_bytes: int) -> RawDocument:
        """Fetch it.

        Raises:
            SourceError: The document is forbidden, unavailable, empty, or of an unsupported type.
        """
        try:
            fetched = self.outside.get(self.name, max_bytes=max_bytes)
        except OutboundError as error:
            raise refused(self.name, error) from error
        if not fetched.data:
            raise SourceError(self.name, Reason.EMPTY, "is empty")
        metadata = Metadata(url=self.name)
        content = hash_content(hashlib.sha256(fetched.data).hexdigest(), metadata)
        return RawDocument(self.name, fetched.data, endings()[ending_of(self.name, fetched)], content, metadata)


def ending_of(name: str, fetched: "Fetched") -> str:
    """Return the ending that a file of what came has: by its first bytes, its type, or where it came from.

    Raises:
        SourceError: It is of a type that is not supported.
    """
    if fetched.data.startswith(b"%PDF-"):
        return ".pdf"
    possible = [_ending(fetched.url), _ending(name)]
    if fetched.media_type == "text/plain":
        possible.append(".txt")
    elif ending := media_types().get(fetched.media_type):
        possible = [ending]
    for ending in possible:
        if ending in endings() and ending != ".pdf":
            return ending
    told = fetched.media_type or "nothing that is told"
    raise SourceError(name, Reason.UNSUPPORTED_TYPE, f"is {told}, which is not supported ({supported()})")


def _ending(url: str) -> str:
    return PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()


def _accepts(spec: str) -> bool:
    return find_arxiv(spec) is not None or URL.match(spec) is not None


SOURCE = Source("web", _accepts, lambda spec, web: [find_outside(spec, web)], order=1)
