"""Snapshots of the store that searches can read: connected, checked, in turn, and left alone after a failure."""

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import DatabaseError, DatabaseUnavailableError, PapergraphError, SchemaError, SnapshotError
from papergraph.store import Address
from papergraph.telemetry.logs import summary
from schema.embedding_models import stored_models
from schema.migrate import latest, version_of
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.vector_cache import KeptVectors

log = logging.getLogger(__name__)

LEFT_ALONE_S = 30.0
"""How long a snapshot that failed is not asked."""


@dataclass
class Opened:
    """A snapshot that is connected and holds what the store held.

    Attributes:
        database: Its Neo4j.
        model: The model of its vectors, where they stand there.
        vectors: Those of its chunks that selections read last.
        n_users: Number of requests that read it now.
    """

    database: Database
    model: ActiveModel
    vectors: KeptVectors
    n_users: int = 0


class Reader:
    """A snapshot: connected when it is first needed, and again after it has failed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._opened: Opened | None = None
        self._opening = asyncio.Lock()
        self._left_until = 0.0

    @property
    def is_left_alone(self) -> bool:
        """Whether it failed a short while ago."""
        return time.monotonic() < self._left_until

    @asynccontextmanager
    async def opened(self, embedder: Embedder) -> AsyncIterator[Opened]:
        """Give it while the context is open; see :meth:`open`. If it has failed meanwhile, its last user closes it."""
        opened = await self.open(embedder)
        opened.n_users += 1
        try:
            yield opened
        finally:
            opened.n_users -= 1
            if opened is not self._opened and not opened.n_users:
                await opened.database.close()

    async def open(self, embedder: Embedder) -> Opened:
        """Connect unless it is connected, and check what it holds; ``embedder`` is the model of the store's vectors.

        Where that fails, it is left alone for a while, and those who waited for it do not try again.

        Raises:
            SnapshotError: It has another schema or embedding model than the store, or is no snapshot.
            DatabaseError: It cannot be reached, or failed, now or a short while ago.
        """
        async with self._opening:
            if self._opened is None:
                if self.is_left_alone:
                    raise DatabaseUnavailableError(f"{self.address.uri} failed a short while ago")
                try:
                    self._opened = await self._connected(embedder)
                except (DatabaseError, SchemaError) as error:
                    self._leave_alone(error)
                    raise
            return self._opened

    async def _connected(self, embedder: Embedder) -> Opened:
        database = await self.address.connect()
        try:
            return Opened(database, await self._checked(database, embedder), KeptVectors())
        except BaseException:
            await database.close()
            raise

    async def _checked(self, database: Database, embedder: Embedder) -> ActiveModel:
        try:
            version = await version_of(database)
        except SchemaError as error:
            raise SnapshotError(self.address.uri, f"cannot be read: {error}") from error
        if version != latest():
            raise SnapshotError(self.address.uri, f"has schema version {version}, and the store has {latest()}")
        active = (await stored_models(database)).active
        if active is None or not active.is_of(embedder.card):
            other = "no embedding model" if active is None else f"vectors of {active.identity}"
            raise SnapshotError(self.address.uri, f"has {other}, and the store has {embedder.card.identity}")
        await as_of(database, self.address.uri)
        model = ActiveModel(embedder)
        model.searched = Searched(embedder, active.slot)
        return model

    def fail(self, opened: Opened, error: PapergraphError) -> None:
        """Leave it alone for a while, unless it was connected again after ``opened`` or has failed already.

        Other requests go on reading what they have open.
        """
        if opened is self._opened:
            self._opened = None
            self._leave_alone(error)

    def _leave_alone(self, error: PapergraphError) -> None:
        log.warning("%s is not read for %g s: %s", self.address.uri, LEFT_ALONE_S, summary(error))
        self._left_until = time.monotonic() + LEFT_ALONE_S

    async def close(self) -> None:
        """Close its connections."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.database.close()


class Readers:
    """The snapshots that searches take turns on."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self._readers = readers
        self._turns = itertools.cycle(range(len(readers)))

    def in_turn(self) -> list[Reader]:
        """Return those that are not left alone, beginning with the next one."""
        first = next(self._turns)
        ordered = [*self._readers[first:], *self._readers[:first]]
        return [reader for reader in ordered if not reader.is_left_alone]


async def as_of(database: Database, uri: str) -> tuple[datetime, frozenset[str]]:
    """Return as of when a snapshot is, and the collections that it holds.

    Raises:
        SnapshotError: It is no snapshot.
        DatabaseError: It failed.
    """
    (extent,) = await database.read(cypher.load("snapshot/extent"))
    if extent["copied_at"] is None:
        raise SnapshotError(uri, "is not a snapshot: nothing there says as of when it is")
    return extent["copied_at"].to_native(), frozenset(extent["collections"])
