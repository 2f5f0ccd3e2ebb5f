"""The documents that a job found, and which of two with one key stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ingest.sources import DocumentRef, Web, find_documents
from papergraph.errors import SourceError


@dataclass(frozen=True)
class Documents:
    """The documents that a job found, by name: what to read, and the order that decides which of two stays.

    Attributes:
        found: By name.
        places: Place of each name among what was found.
        max_bytes: Largest document that is read.
        specs: What they were found by.
        web: The way to what lies outside, if there is one.
    """

    found: Mapping[str, DocumentRef]
    places: Mapping[str, int]
    max_bytes: int
    specs: tuple[str, ...]
    web: Web | None = None

    @classmethod
    def find(cls, specs: Sequence[str], *, max_bytes: int, web: Web | None = None) -> Self:
        """Find the documents that a job was opened for, as they are now."""
        return cls.of(list(find_documents(specs, web=web)), specs, max_bytes=max_bytes, web=web)

    @classmethod
    def of(
        cls, found: Sequence[DocumentRef | SourceError], specs: Sequence[str], *, max_bytes: int, web: Web | None = None
    ) -> Self:
        """Put documents in order that were found."""
        documents = {entry.name: (place, entry) for place, entry in enumerate(found) if isinstance(entry, DocumentRef)}
        by_name = {name: entry for name, (_, entry) in documents.items()}
        return cls(by_name, {name: place for name, (place, _) in documents.items()}, max_bytes, tuple(specs), web)
