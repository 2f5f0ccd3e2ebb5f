"""Searches and answers on snapshots of the store, so that they take nothing from its Neo4j (decision 0183).

The snapshots of ``PAPERGRAPH_NEO4J_READ_URIS`` take turns. One that fails is left alone for a while, and whatever none
of them can answer the store answers. A request reads one Neo4j only, and its answer says as of when that is.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import cypher
from papergraph.database import Database
from papergraph.errors import DatabaseError, InputError, NotFoundError, PapergraphError, SchemaError, SnapshotError
from papergraph.store import Address
from papergraph.telemetry.logs import summary
from schema.embedding_models import stored_models
from schema.migrate import migrations, pending
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.resources import Resources
from server.retrieval.scope import Collections
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

    async def open(self, resources: Resources) -> Opened:
        """Connect unless it is connected, and check what it holds.

        Raises:
            SnapshotError: It has another schema or embedding model than the store, or is no snapshot.
            DatabaseError: It cannot be reached, or failed.
        """
        async with self._opening:
            if self._opened is None:
                database = await self.address.connect()
                try:
                    model = await self._checked(database, resources)
                except BaseException:
                    await database.close()
                    raise
                self._opened = Opened(database, model, KeptVectors())
            return self._opened

    async def _checked(self, database: Database, resources: Resources) -> ActiveModel:
        try:
            missing = await pending(database, migrations())
        except SchemaError as error:
            raise SnapshotError(self.address.uri, f"cannot be read: {error}") from error
        if missing:
            raise SnapshotError(self.address.uri, f"lacks migration {missing[0].name}, which the store has")
        embedder, active = resources.model.searched.embedder, (await stored_models(database)).active
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


@dataclass(frozen=True)
class Choice:
    """A Neo4j that a request can read.

    Attributes:
        resources: What pipelines run with there.
        as_of: Time of the snapshot; None of the store itself.
        reader: The snapshot; None of the store itself.
    """

    resources: Resources
    as_of: datetime | None = None
    reader: Reader | None = None

    async def give_up(self, error: PapergraphError) -> None:
        """Go on to the next choice after a snapshot could not answer; what the store refuses is raised again.

        What a snapshot refuses as wrong or unknown may be neither in the store, which is newer.
        """
        if self.reader is None or not isinstance(error, DatabaseError | SchemaError | InputError | NotFoundError):
            raise error
        if isinstance(error, DatabaseError | SchemaError):
            await self.reader.fail(error)


async def choices(resources: Resources, collections: Collections) -> AsyncIterator[Choice]:
    """Yield what can answer for some collections: the snapshots that hold them, in turn, at last the store."""
    readers = [] if resources.readers is None else resources.readers.in_turn()
    for reader in readers:
        try:
            opened = await reader.open(resources)
            time_of, held = await as_of(opened.database, reader.address.uri)
        except (DatabaseError, SchemaError) as error:
            await reader.fail(error)
            continue
        if held.issuperset(collections):
            there = replace(resources, database=opened.database, model=opened.model, vectors=opened.vectors)
            yield Choice(there, time_of, reader)
    yield Choice(resources)


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


@asynccontextmanager
async def reading(resources: Resources, addresses: Sequence[Address]) -> AsyncIterator[Resources]:
    """Give resources with the snapshots at some addresses; one that does not answer yet is tried again later.

    Raises:
        SnapshotError: One has another schema or embedding model than the store, or is no snapshot.
    """
    if not addresses:
        yield resources
        return
    readers = [Reader(address) for address in addresses]
    async with AsyncExitStack() as stack:
        for reader in readers:
            stack.push_async_callback(reader.close)
            try:
                await reader.open(resources)
            except DatabaseError as error:
                await reader.fail(error)
        yield replace(resources, readers=Readers(readers))
