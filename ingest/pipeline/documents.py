"""The documents that a job found, and which of two with one key stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
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

    def with_sources(self, names: Sequence[str]) -> Self:
        """Return these documents and those of ``names`` that are missing, as they are now.

        A file of its own is found by its name, which is its path. Only for others, such as records and pages, what the
        job was opened for is walked again.
        """
        missing = [name for name in names if name not in self.found]
        files = [name for name in missing if Path(name).is_absolute() and Path(name).is_file()]
        found = {one.name: one for one in find_documents(files) if isinstance(one, DocumentRef)}
        if any(name not in found and (not Path(name).is_absolute() or "#" in name) for name in missing):
            return self.find(self.specs, max_bytes=self.max_bytes, web=self.web)
        return replace(self, found={**self.found, **found})

    @classmethod
    def of(
        cls, found: Sequence[DocumentRef | SourceError], specs: Sequence[str], *, max_bytes: int, web: Web | None = None
    ) -> Self:
        """Put documents in order that were found."""
        documents = {entry.name: (place, entry) for place, entry in enumerate(found) if isinstance(entry, DocumentRef)}
        by_name = {name: entry for name, (_, entry) in documents.items()}
        return cls(by_name, {name: place for name, (place, _) in documents.items()}, max_bytes, tuple(specs), web)
