"""The lease of the one process that changes the vectors in use, or the indexes over them."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import cypher
from papergraph.database import Database
from papergraph.errors import DatabaseError, ReembedError

LEASE_S, LEASE_RENEWED_S, LEASE_POLL_S, LEASE_WAIT_S = 6, 1.5, 0.25, 15.0


@asynccontextmanager
async def model_lease(database: Database) -> AsyncIterator[None]:
    """Be the one process that changes models or builds indexes again; the right of one that died ends after seconds.

    Raises:
        ReembedError: Another process is at it.
    """
    owner = uuid.uuid4().hex
    take = cypher.load("reembed/take_lease")

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_RENEWED_S)
            with suppress(DatabaseError):  # two processes at once would do no harm, only the same work twice
                await database.run_alone(take, owner=owner, lease_s=LEASE_S)

    deadline = time.monotonic() + LEASE_WAIT_S
    while not (await database.run_alone(take, owner=owner, lease_s=LEASE_S))[0]["mine"]:
        if time.monotonic() > deadline:
            raise ReembedError(
                "another papergraph embeddings switch or fulltext switch works on this store; wait for its end"
            )
        await asyncio.sleep(LEASE_POLL_S)
    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        with suppress(DatabaseError):  # it ends by itself
            await database.run_alone(cypher.load("reembed/release_lease"), owner=owner)
