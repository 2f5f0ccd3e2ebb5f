"""Operations on watches: create, list, run, pause and delete them, and keep due ones running."""

import asyncio
import json
import logging
import os
import re
import secrets
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError, PapergraphError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.graph.writer import delete_source
from papergraph.ingest.pipeline.changes import stored_below
from papergraph.ingest.pipeline.work import IngestReport
from papergraph.progress import Progress, silent
from papergraph.schema.ids import check_collection
from papergraph.server.local.store_operations import IngestCommand, ingest_papers
from papergraph.server.local.watches import WatchContext, WatchResult, kinds
from papergraph.settings import Settings
from papergraph.store import Address

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
EVERY = re.compile(r"([1-9]\d{0,3})([mhdw])")
LEASE_S, RENEW_S = 120, 30.0
POLL_S = 30.0
FIRST_PAUSE_S = 60
MOST_LOGGED = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Watch:
    """A watch.

    Attributes:
        id: Its id.
        collection: Its collection.
        kind: Its kind.
        subject: Path of the folder; empty for other kinds.
        every_s: Seconds from one run to the next.
        is_paused: Whether it runs only when it is named.
        is_due: Whether it should run now.
        is_held: Whether a process runs it.
        n_failures: Failed runs in a row.
        next_at: When it is due, as ISO 8601.
        log: Its last runs, the newest first.
    """

    id: str
    collection: str
    kind: str
    subject: str
    every_s: int
    is_paused: bool
    is_due: bool
    is_held: bool
    n_failures: int
    next_at: str
    log: tuple[str, ...]


def seconds_of(text: str) -> int:
    """Return the seconds of ``90m``, ``12h``, ``1d`` or ``2w``.

    Raises:
        InputError: The text has another form.
    """
    found = EVERY.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text[:40]!r} is no interval; write 30m, 12h, 1d or 2w.", field="every")
    return int(found[1]) * UNITS[found[2]]


async def add_watch(database: Database, kind: str, subject: str, *, every_s: int, collection: str) -> str:
    """Create a watch, which is due at once, and return its id.

    Raises:
        InputError: There is no such kind, or the subject is invalid.
        DatabaseError: Neo4j failed.
    """
    if kind not in kinds():
        raise InputError(f"There is no kind of watch {kind[:40]!r}. Choose {', '.join(kinds())}.", field="kind")
    checked, id = kinds()[kind].subject(subject), f"watch-{secrets.token_hex(4)}"
    told: dict[str, Any] = {"id": id, "collection": check_collection(collection), "kind": kind, "subject": checked}
    await database.run_alone(cypher.load("watches/create"), every_s=every_s, **told)
    return id


async def list_watches(database: Database) -> list[Watch]:
    """Return all watches in the order in which they were made.

    Raises:
        DatabaseError: Neo4j failed.
    """
    found = []
    for record in await database.read(cypher.load("watches/list")):
        one = record["watch"]
        told = {name: one[name] for name in ("id", "collection", "kind", "subject")}
        at = one["nextAt"].to_native().isoformat(timespec="seconds")
        state = {"is_paused": one["isPaused"], "is_due": record["is_due"], "is_held": record["is_held"]}
        counts = {"every_s": one["everyS"], "n_failures": one["nFailures"]}
        found.append(Watch(**told, **state, **counts, next_at=at, log=tuple(one["log"])))
    return found


async def find_watch(database: Database, name: str) -> Watch:
    """Return the watch of an id or its beginning.

    Raises:
        NotFoundError: None, or several, begin so.
    """
    found = [one for one in await list_watches(database) if one.id.startswith(name)]
    if len(found) != 1:
        raise NotFoundError("watch", name, field="id")
    return found[0]


async def pause_watch(database: Database, name: str, *, is_paused: bool) -> Watch:
    """Pause a watch, or let it run again.

    Raises:
        NotFoundError: There is no such watch.
    """
    one = await find_watch(database, name)
    await database.run_alone(cypher.load("watches/pause"), id=one.id, is_paused=is_paused)
    return await find_watch(database, one.id)


async def delete_watch(database: Database, name: str) -> Watch:
    """Delete a watch; the papers that it brought stay.

    Raises:
        NotFoundError: There is no such watch.
    """
    one = await find_watch(database, name)
    await database.run_alone(cypher.load("watches/delete"), id=one.id)
    return one


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

    context = WatchContext(database, settings, watch.collection, watch.subject, ingest, delete, accept_deletions)
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
