"""Operations on watches that need neither files nor network: list, pause, delete, make due, and their feeds."""

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.fetch.works import SUBJECTS
from papergraph.records import Record, described
from papergraph.schema.ids import check_collection
from papergraph.server.operations.inbox import InboxItem, InboxState, list_inbox
from papergraph.server.operations.snowball import KIND as SNOWBALL
from papergraph.server.operations.snowball import subject as snowball_options

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
EVERY = re.compile(r"([1-9]\d{0,3})([mhdw])")
FEED_ITEMS = 100


@dataclass(frozen=True)
class Watch(Record):
    """A watch: a folder or source that is looked at again and again."""

    id: Annotated[str, described("Id of the watch.")]
    collection: Annotated[str, described("Its collection.")]
    kind: Annotated[str, described("Its kind, such as query, author, cites, snowball or folder.")]
    subject: Annotated[str, described("Words, ORCID, DOI, path or options that it follows.")]
    every_s: Annotated[int, described("Seconds from one run to the next.")]
    is_paused: Annotated[bool, described("Whether it runs only when it is named.")]
    is_due: Annotated[bool, described("Whether it should run now.")]
    is_held: Annotated[bool, described("Whether a process runs it.")]
    has_feed: Annotated[bool, described("Whether its feed has an address.")]
    n_failures: Annotated[int, described("Failed runs in a row.")]
    next_at: Annotated[str, described("Time when it is due, as ISO 8601.")]
    log: Annotated[tuple[str, ...], described("Its last runs, the newest first, each as: time | outcome | words.")]


@dataclass(frozen=True)
class DeletedWatch(Record):
    """A watch that was deleted."""

    id: Annotated[str, described("Its id.")]


@dataclass(frozen=True)
class Feed(Record):
    """Addresses of a watch's feed; whoever has one can read it, until another is made or it is revoked."""

    id: Annotated[str, described("Id of the watch.")]
    atom: Annotated[str | None, described("Path of the Atom feed on this server; null after it was revoked.")]
    json_feed: Annotated[str | None, described("Path of the JSON feed; null after it was revoked.")]


def seconds_of(text: str) -> int:
    """Return the seconds of ``90m``, ``12h``, ``1d`` or ``2w``.

    Raises:
        InputError: The text has another form.
    """
    found = EVERY.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text[:40]!r} is no interval; write 30m, 12h, 1d or 2w.", field="every")
    return int(found[1]) * UNITS[found[2]]


def _none(text: str) -> str:
    if text:
        raise InputError("A watch over retractions or versions has no subject.", field="subject")
    return ""


OFFERED: Mapping[str, Callable[[str], str]] = {
    **SUBJECTS,
    "retractions": _none,
    "versions": _none,
    SNOWBALL: snowball_options,
}
"""Checks of the subjects of watches that name nothing on the server's disk, by kind: those that an API creates."""


async def create_watch(
    database: Database,
    kind: str,
    subject: str,
    *,
    every_s: int,
    collection: str,
    kinds: Mapping[str, Callable[[str], str]] = OFFERED,
) -> str:
    """Create a watch, which is due at once, and return its id.

    Args:
        database: A prepared store.
        kind: One of ``kinds``.
        subject: What it follows.
        every_s: Seconds from one run to the next.
        collection: Its collection.
        kinds: Checks of subjects by the kinds that may be created.

    Raises:
        InputError: There is no such kind, or the subject is invalid.
        DatabaseError: Neo4j failed.
    """
    if kind not in kinds:
        raise InputError(f"There is no kind of watch {kind[:40]!r}. Choose {', '.join(kinds)}.", field="kind")
    checked, id = kinds[kind](subject), f"watch-{secrets.token_hex(4)}"
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
        state = {name: record[name] for name in ("is_due", "is_held", "has_feed")} | {"is_paused": one["isPaused"]}
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
        told = f"{len(found)} watches begin with" if found else "There is no watch"
        message = f"{told} {name[:100]!r}; papergraph watch list shows all."
        raise NotFoundError("watch", name, field="id", message=message)
    return found[0]


async def pause_watch(database: Database, name: str, *, is_paused: bool) -> Watch:
    """Pause a watch, or let it run again, at once: the next process that runs due watches takes it.

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


# Feeds: the key stands in the address, because readers of feeds send no headers; only its hash is stored


async def open_feed(database: Database, name: str, *, revoke: bool = False) -> Feed:
    """Make a new address for the feed of a watch, after which the old one is invalid, or only revoke that.

    Raises:
        NotFoundError: There is no such watch.
    """
    one = await find_watch(database, name)
    key = None if revoke else secrets.token_urlsafe(24)
    await database.run_alone(cypher.load("watches/set_feed"), id=one.id, sha256=None if key is None else _hash(key))
    atom, json_feed = (f"/v1/feeds/{one.id}/{key}.{ending}" for ending in ("atom", "json"))
    return Feed(one.id, atom if key else None, json_feed if key else None)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


async def read_feed(database: Database, id: str, key: str) -> tuple[Watch, list[InboxItem]]:
    """Return a watch and its 100 newest finds that were not refused, for the holder of its feed's address.

    Raises:
        NotFoundError: There is no such watch, or its feed has another key.
    """
    records = await database.read(cypher.load("watches/by_feed"), id=id[:40], sha256=_hash(key))
    if not records:
        raise NotFoundError("feed", id[:40], field="id", message="There is no such feed, or its address was revoked.")
    watch = await find_watch(database, id)
    states = (InboxState.NEW, InboxState.ACCEPTED)
    found = await list_inbox(database, watch.collection, states=states, source=id, first=FEED_ITEMS, newest=True)
    return watch, found
