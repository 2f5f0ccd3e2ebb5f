"""Parsed documents that took a while, kept on disk by what they were made of: another cut does not parse again."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from papergraph.disk_cache import DiskCache, key_of
from papergraph.ingest.parsers import Document, parsers, version_of
from papergraph.ingest.sources import RawDocument

WORTH_KEEPING_S = 0.05
"""Shortest parsing time worth caching, in seconds; a faster result is recomputed."""


@dataclass(frozen=True)
class ParsedDocuments:
    """Documents below ``folder`` in at most ``max_bytes``; damaged or torn files are as if they were missing."""

    folder: Path
    max_bytes: int

    def __reduce__(self) -> tuple[Any, ...]:
        return ParsedDocuments, (self.folder, self.max_bytes)

    def get(self, source: RawDocument) -> Document | None:
        """Return what this parser made of the same content under the same name, which papers without ids go by."""
        if parsers()[source.format].quick:
            return None
        entry = self._kept.get(_key(source))
        try:
            return _adapter().validate_python(entry.get("document"), strict=False) if entry else None
        except ValueError:
            return None

    def put(self, source: RawDocument, document: Document) -> None:
        """Keep a document."""
        self._kept.put(_key(source), {"document": _adapter().dump_python(document, mode="json")})

    @cached_property
    def _kept(self) -> DiskCache:
        return DiskCache(self.folder, max_bytes=self.max_bytes)


def _key(source: RawDocument) -> str:
    made_of = {"name": source.name, "content": source.content_hash, "format": str(source.format)}
    read_by = source.read_by.name if source.read_by else "own"
    return key_of({**made_of, "parser": version_of(source.format), "read_by": read_by})


@cache
def _adapter() -> TypeAdapter[Document]:
    return TypeAdapter(Document)
