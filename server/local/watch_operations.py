"""Runs of watches, and of those that are due without end."""

import asyncio
import json
import logging
import os
import secrets
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import PapergraphError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.fetch.works import Work
from papergraph.ingest.graph.writer import delete_source
from papergraph.ingest.pipeline.changes import stored_below
from papergraph.ingest.pipeline.work import IngestReport
from papergraph.progress import Progress, silent
from papergraph.server.local.store_operations import IngestCommand, ingest_papers
from papergraph.server.local.watches import WatchContext, WatchResult, kinds
from papergraph.server.operations.inbox import Kept, keep_works
from papergraph.server.operations.watches import Watch, create_watch, list_watches
from papergraph.server.startup import open_service
from papergraph.settings import Settings
from papergraph.store import Address

LEASE_S, RENEW_S = 120, 30.0
POLL_S = 30.0
FIRST_PAUSE_S = 60
MOST_LOGGED = 100

log = logging.getLogger(__name__)


async def add_watch(database: Database, kind: str, subject: str, *, every_s: int, collection: str) -> str:
    """Create a watch of any kind, which is due at once, and return its id.

    Raises:
        InputError: There is no such kind, or the subject is invalid.
        DatabaseError: Neo4j failed.
    """
    checks = {name: one.subject for name, one in kinds().items()}
    return await create_watch(database, kind, subject, every_s=every_s, collection=collection, kinds=checks)


async def run_watch(
    settings: Settings,
    address: Address,
    database: Database,
    watch: Watch,
    *,
    accept_deletions: int | None = None,
    progress: Progress = silent,
) -> WatchResult | None:
    """Run a watch once, and note it; None if another process runs it.

    A failure is noted; the next run follows after a minute, then two, four and so on, at most the watch's interval.

    Raises:
        PapergraphError: The run failed.
    """
    holder = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
    held = await _hold(database, watch, holder)
    if held is None:
        return None
    keeping = asyncio.create_task(_keep_holding(database, watch, holder))

    async def ingest(paths: Sequence[str], *, prune: bool = False) -> IngestReport:
        wanted = IngestCommand(paths, watch.collection, ChunkOptions(), prune=prune)
        return await ingest_papers(settings, address, wanted, dask=None, budget=None, progress=progress)

    async def delete(path: str) -> None:
        for name in await stored_below(database, path, watch.collection):
            if name == path or name.startswith(f"{path}#"):
                await delete_source(database, collection=watch.collection, name=name)

    async def keep(works: Sequence[Work]) -> Kept:
        async with open_service(settings, address, progress=progress) as service:
            return await keep_works(
                service.database, service.embedder, works, collection=watch.collection, source=watch.id
            )

    context = WatchContext(database, settings, watch.collection, watch.subject, ingest, delete, keep, accept_deletions)
    note: dict[str, Any] = {"id": watch.id, "holder": holder, "most": MOST_LOGGED}
    try:
        result = await kinds()[watch.kind].run(context, json.loads(held))
    except PapergraphError as error:
        pause_s = min(watch.every_s, FIRST_PAUSE_S * 2 ** min(watch.n_failures, 20))
        failed: dict[str, Any] = {"state": None, "outcome": "failed", "words": str(error)[:1000], "pause_s": pause_s}
        await database.run_alone(cypher.load("watches/finish"), **note, **failed)
        raise
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
    done: dict[str, Any] = {
        "outcome": "asks" if result.asks else "done",
        "words": result.words[:1000],
        "pause_s": watch.every_s,
    }
    await database.run_alone(cypher.load("watches/finish"), state=json.dumps(result.state), **note, **done)
    return result


async def _hold(database: Database, watch: Watch, holder: str) -> str | None:
    found = await database.run_alone(cypher.load("watches/hold"), id=watch.id, holder=holder, for_s=LEASE_S)
    return str(found[0]["state"]) if found else None


async def _keep_holding(database: Database, watch: Watch, holder: str) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        with suppress(PapergraphError):
            await _hold(database, watch, holder)


async def keep_watching(settings: Settings, address: Address) -> None:
    """Run each watch when it is due, one after the other, without end."""
    while True:
        try:
            async with await address.connect() as database:
                for watch in [one for one in await list_watches(database) if one.is_due and not one.is_held]:
                    with suppress(PapergraphError):  # it is noted in the watch's log
                        if result := await run_watch(settings, address, database, watch):
                            log.info("watch %s: %s", watch.id, result.words)
        except PapergraphError as error:
            log.error("watches wait: %s", error)
        await asyncio.sleep(POLL_S)
