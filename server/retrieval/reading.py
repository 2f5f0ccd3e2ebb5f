"""Searches and answers on snapshots of the store, so that they take nothing from its Neo4j (decision 0183).

The snapshots of ``PAPERGRAPH_NEO4J_READ_URIS`` take turns. One that fails is left alone for a while, and whatever none
of them can answer the store answers. A request reads one Neo4j only, and its answer says as of when that is.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from papergraph.errors import (
    DatabaseError,
    DatabaseUnavailableError,
    InputError,
    NotFoundError,
    PapergraphError,
    SchemaError,
)
from papergraph.store import Address
from server.retrieval.readers import Opened, Reader, Readers, as_of
from server.retrieval.resources import Resources
from server.retrieval.scope import Collections


@dataclass(frozen=True)
class Choice:
    """A Neo4j that a request can read.

    Attributes:
        resources: What pipelines run with there.
        as_of: Time of the snapshot; None of the store itself.
        snapshot: The snapshot, and its connection; None of the store itself.
    """

    resources: Resources
    as_of: datetime | None = None
    snapshot: tuple[Reader, Opened] | None = None

    def give_up(self, error: PapergraphError) -> None:
        """Go on to the next choice after a snapshot could not answer; what the store refuses is raised again.

        What a snapshot refuses as wrong or unknown may be neither in the store, which is newer. A query that takes too
        long or fails says nothing of other requests: only a snapshot that is away or has another schema is left alone.
        """
        if self.snapshot is None or not isinstance(error, DatabaseError | SchemaError | InputError | NotFoundError):
            raise error
        if isinstance(error, DatabaseUnavailableError | SchemaError):
            reader, opened = self.snapshot
            reader.fail(opened, error)


async def choices(resources: Resources, collections: Collections) -> AsyncGenerator[Choice, None]:
    """Yield what can answer for some collections: the snapshots that hold them, in turn, at last the store.

    A snapshot stays connected until the next one is asked for, or the generator is closed.
    """
    readers = [] if resources.readers is None else resources.readers.in_turn()
    for reader in readers:
        async with AsyncExitStack() as stack:
            try:
                opened = await stack.enter_async_context(reader.opened(resources.model.searched.embedder))
            except (DatabaseError, SchemaError):
                continue
            try:
                time_of, held = await as_of(opened.database, reader.address.uri)
            except (DatabaseError, SchemaError) as error:
                reader.fail(opened, error)
                continue
            if held.issuperset(collections):
                there = replace(resources, database=opened.database, model=opened.model, vectors=opened.vectors)
                yield Choice(there, time_of, (reader, opened))
    yield Choice(resources)


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
            with suppress(DatabaseError):
                await reader.open(resources.model.searched.embedder)
        yield replace(resources, readers=Readers(readers))
