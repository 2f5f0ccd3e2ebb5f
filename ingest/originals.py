"""Originals: the files that papers were read from, each kept once by its content hash, as long as a paper has it."""

import logging
import os
import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from papergraph import cypher
from papergraph.database import Database
from papergraph.ingest.sources import RawDocument
from papergraph.ingest.sources.web import KEPT
from papergraph.schema.ids import ID
from papergraph.settings import Settings

RECORD = "record"
"""Format of metadata without a file."""

YOUNG_S = 3600.0
"""A younger file may be that of a paper that is not written yet."""

AT_ONCE = 1000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Originals:
    """The originals below a folder; a file's name is the content hash of its paper, sha-256 in hex."""

    folder: Path

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return the store of files in the settings, or None if files are discarded."""
        return cls(settings.home / KEPT) if settings.keep_files else None

    def keep(self, source: RawDocument) -> None:
        """Store a document's bytes unless they exist or it is a record; a full disk is logged."""
        place = self._place(source.content_hash)
        if source.format == RECORD or place is None:
            return
        try:
            if place.exists():
                os.utime(place)
                return
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            coming = self.folder / f".{secrets.token_hex(8)}"
            coming.write_bytes(source.data)
            coming.replace(place)
        except OSError as error:
            log.warning("the original of %s is not kept: %s", source.content_hash, error)

    def find(self, content_hash: str) -> Path | None:
        """Return the file with a content hash, or None."""
        place = self._place(content_hash)
        return place if place is not None and place.is_file() else None

    async def sweep(self, database: Database, deleted: Collection[str] = ()) -> int:
        """Delete files that no paper has, and return how many.

        Args:
            database: The store.
            deleted: Content hashes of papers that were deleted; other files stay for an hour.

        Raises:
            DatabaseError: Neo4j failed.
        """
        n_deleted, old = 0, list(self._old(deleted))
        for first in range(0, len(old), AT_ONCE):
            hashes = old[first : first + AT_ONCE]
            records = await database.read(cypher.load("ingest/contents_in_use"), hashes=hashes)
            for hash in set(hashes) - {record["hash"] for record in records}:
                with suppress(FileNotFoundError):
                    (self.folder / hash).unlink()
                    n_deleted += 1
        return n_deleted

    def _old(self, deleted: Collection[str]) -> Iterator[str]:
        if not self.folder.is_dir():
            return
        before = time.time() - YOUNG_S
        for place in self.folder.iterdir():
            with suppress(FileNotFoundError):
                if place.name in deleted or place.stat().st_mtime < before:
                    yield place.name

    def _place(self, content_hash: str) -> Path | None:
        return self.folder / content_hash if ID.fullmatch(content_hash) else None
