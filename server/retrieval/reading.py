"""Searches and answers on snapshots of the store, so that they take nothing from its Neo4j (decision 0183).

The snapshots of ``PAPERGRAPH_NEO4J_READ_URIS`` take turns. One that fails is left alone for a while, and whatever none
of them can answer the store answers. A request reads one Neo4j only, and its answer says as of when that is.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from papergraph.errors import DatabaseError, InputError, NotFoundError, PapergraphError, SchemaError
from papergraph.store import Address
from server.retrieval.readers import Reader, Readers, as_of
from server.retrieval.resources import Resources
from server.retrieval.scope import Collections


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
            opened = await reader.open(resources.model.searched.embedder)
            time_of, held = await as_of(opened.database, reader.address.uri)
        except (DatabaseError, SchemaError) as error:
            await reader.fail(error)
            continue
        if held.issuperset(collections):
            there = replace(resources, database=opened.database, model=opened.model, vectors=opened.vectors)
            yield Choice(there, time_of, reader)
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
            try:
                await reader.open(resources.model.searched.embedder)
            except DatabaseError as error:
                await reader.fail(error)
        yield replace(resources, readers=Readers(readers))
