"""Snapshots of the store that searches can read: connected, checked, in turn, and left alone after a failure."""

import asyncio
import itertools
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import PapergraphError, SchemaError, SnapshotError
from papergraph.store import Address
from papergraph.telemetry.logs import summary
from schema.embedding_models import stored_models
from schema.migrate import migrations, pending
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.vector_cache import KeptVectors

log = logging.getLogger(__name__)

LEFT_ALONE_S = 30.0
"""How long a snapshot that failed is not asked."""


@dataclass(frozen=True)
class Opened:
    """A snapshot that is connected and holds what the store held.

    Attributes:
        database: Its Neo4j.
        model: The model of its vectors, where they stand there.
        vectors: Those of its chunks that selections read last.
    """

    database: Database
    model: ActiveModel
    vectors: KeptVectors


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

    async def open(self, embedder: Embedder) -> Opened:
        """Connect unless it is connected, and check what it holds; ``embedder`` is the model of the store's vectors.

        Raises:
            SnapshotError: It has another schema or embedding model than the store, or is no snapshot.
            DatabaseError: It cannot be reached, or failed.
        """
        async with self._opening:
            if self._opened is None:
                database = await self.address.connect()
                try:
                    model = await self._checked(database, embedder)
                except BaseException:
                    await database.close()
                    raise
                self._opened = Opened(database, model, KeptVectors())
            return self._opened

    async def _checked(self, database: Database, embedder: Embedder) -> ActiveModel:
        try:
            missing = await pending(database, migrations())
        except SchemaError as error:
            raise SnapshotError(self.address.uri, f"cannot be read: {error}") from error
        if missing:
            raise SnapshotError(self.address.uri, f"lacks migration {missing[0].name}, which the store has")
        active = (await stored_models(database)).active
        if active is None or not active.is_of(embedder.card):
            other = "no embedding model" if active is None else f"vectors of {active.identity}"
            raise SnapshotError(self.address.uri, f"has {other}, and the store has {embedder.card.identity}")
        await as_of(database, self.address.uri)
        model = ActiveModel(embedder)
        model.searched = Searched(embedder, active.slot)
        return model

    async def fail(self, error: PapergraphError) -> None:
        """Leave it alone for a while."""
        log.warning("%s is not read for %g s: %s", self.address.uri, LEFT_ALONE_S, summary(error))
        self._left_until = time.monotonic() + LEFT_ALONE_S
        await self.close()

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
