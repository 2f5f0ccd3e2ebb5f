"""Changes of sources: papers that are new, changed or gone."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cypher
from ingest.graph.stored_papers import find_contents
from ingest.graph.writer import WriteOutcome, delete_source
from ingest.jobs.model import NewTask
from ingest.pipeline.work import Item
from ingest.sources import DocumentRef, Web
from ingest.sources.source import GONE
from ingest.sources.web import URL
from papergraph.database import Database
from papergraph.errors import OutboundError, OutboundStatusError, OutboundTooLargeError, SourceError

# What of the documents that were found is new: they are hashed and looked up, and nothing is parsed


LOOKED_UP_AT_ONCE = 512
"""Documents whose contents are looked up in the graph together."""


@dataclass(frozen=True)
class Survey:
    """What is to be done about some documents.

    Attributes:
        unchanged: By place, the documents that stand in the graph from the same source and made by the same
            configuration hash.
        wanted: The others, and what was found that is none, in order.
        known: Contents that stand in the graph.
    """

    unchanged: dict[int, Item]
    wanted: list[NewTask]
    known: frozenset[str]


async def detect_changes(
    database: Database,
    found: Sequence[DocumentRef | SourceError],
    *,
    collection: str,
    config_hash_of: Callable[[DocumentRef], str],
    max_bytes: int,
) -> Survey:
    """Say which documents are unchanged; the key of a content is the same for as long as the configuration hash is.

    Raises:
        DatabaseError: Neo4j failed.
    """
    unchanged: dict[int, Item] = {}
    wanted: list[NewTask] = []
    known_contents: set[str] = set()
    for first in range(0, len(found), LOOKED_UP_AT_ONCE):
        documents = found[first : first + LOOKED_UP_AT_ONCE]
        contents = await asyncio.to_thread(_contents, documents, max_bytes)
        config_hashes = {
            content: config_hash_of(document)
            for document, content in zip(documents, contents, strict=True)
            if content and isinstance(document, DocumentRef)
        }
        known = await find_contents(database, config_hashes, collection=collection) if config_hashes else {}
        known_contents |= {one.content for one in known.values()}
        for place, (document, content) in enumerate(zip(documents, contents, strict=True), start=first):
            if isinstance(document, SourceError):
                reason, detail = document.reason.value, document.detail
                wanted.append(NewTask(document.source, place, reason=reason, detail=detail))
                continue
            stored = known.get(document.name)
            if stored and stored.content == content:
                outcome = WriteOutcome.UNCHANGED if stored.is_shown else WriteOutcome.SUPERSEDED
                unchanged[place] = Item(
                    document.name, outcome, stored.key, stored.title, stored.n_sections, stored.n_chunks
                )
            else:
                wanted.append(NewTask(document.name, place, content))
    return Survey(unchanged, wanted, frozenset(known_contents))


def _contents(documents: Sequence[DocumentRef | SourceError], max_bytes: int) -> list[str | None]:
    return [
        None if isinstance(document, SourceError) else document.content_hash(max_bytes=max_bytes)
        for document in documents
    ]


# Sources that are gone from where they were found, a folder, a file or a site, and what leaves the graph with them


async def prune(
    database: Database,
    specs: Sequence[str],
    found: Sequence[DocumentRef | SourceError],
    *,
    collection: str,
    web: Web | None = None,
) -> list[str]:
    """Delete the sources of a collection that lay below given folders, files of records or URLs and are gone.

    What was found but is refused stays. So does what lies below a folder in which nothing was found at all, as where a
    disk is not mounted, and below a file of records that could not be read whole. A document of a site is gone where
    the site says so (404, 410). Nothing of a site goes while any of these documents cannot be asked for, or none is
    there.

    Args:
        database: A prepared store.
        specs: Absolute paths of folders and files, and URLs; other names are passed over.
        found: All that was found by them.
        collection: Where the papers stand.
        web: The way to sites; without one, nothing of them goes.

    Returns:
        Names of the deleted sources, in order.

    Raises:
        DatabaseError: Neo4j failed; what was deleted until then is gone.
    """
    refused = {one.source for one in found if isinstance(one, SourceError)}
    present = {one.name for one in found if isinstance(one, DocumentRef)} | refused
    gone: dict[str, None] = {}
    for spec in specs:
        if URL.match(spec) and web is not None:
            asked = await _stored_below(database, spec, collection)
            gone |= dict.fromkeys(await asyncio.to_thread(_gone_from_site, asked, web))
        elif spec.startswith("/") and spec not in refused:
            stored = await _stored_below(database, spec, collection)
            if any(name.startswith((f"{spec.rstrip('/')}/", f"{spec}#")) or name == spec for name in present):
                gone |= dict.fromkeys(name for name in stored if _is_gone(name, present, refused))
    for name in gone:
        await delete_source(database, collection=collection, name=name)
    return list(gone)


def _is_gone(name: str, present: Iterable[str], refused: Iterable[str]) -> bool:
    """Say whether a source is neither found nor a file that is still there, nor a record of a file with faults."""
    file, is_record, _ = name.partition("#")
    if name in present or Path(name).exists():
        return False
    return not (is_record and file in refused)


def _gone_from_site(names: Sequence[str], web: Web) -> list[str]:
    """Return the URLs that a site says are gone; none where another cannot be asked for, or where all are."""
    gone = []
    for name in names:
        try:
            web.outside.get(name, max_bytes=1)
        except OutboundTooLargeError:
            continue
        except OutboundStatusError as error:
            if error.status not in GONE:
                return []
            gone.append(name)
        except OutboundError:
            return []
    return gone if len(gone) < len(names) else []


async def _stored_below(database: Database, path: str, collection: str) -> list[str]:
    records = await database.read(
        cypher.load("ingest/find_papers"),
        collection=collection,
        keys=[],
        path=path,
        below=[f"{path.rstrip('/')}/", f"{path}#"],
    )
    return [record["source"] for record in records]
