"""Changes of sources: papers that are new, changed or gone."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import OutboundError, OutboundStatusError, OutboundTooLargeError, SourceError
from papergraph.ingest.fetch.crawl import gone_pages
from papergraph.ingest.graph.stored_papers import find_contents
from papergraph.ingest.graph.writer import WriteOutcome, delete_source
from papergraph.ingest.jobs.model import NewTask
from papergraph.ingest.pipeline.work import Item
from papergraph.ingest.sources import DocumentRef, Web
from papergraph.ingest.sources.source import GONE
from papergraph.ingest.sources.web import URL

# New and changed documents, found by hash before any parsing


LOOKED_UP_AT_ONCE = 512
"""Documents whose contents are looked up in the graph together."""


@dataclass(frozen=True)
class Survey:
    """Comparison of found documents with the store.

    Attributes:
        unchanged: Documents stored from the same source with the same configuration hash, by position.
        wanted: Other documents, and errors of invalid ones, in order.
        known: Stored contents.
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
        known = {name: one for name, one in known.items() if one.is_complete}
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
    """Delete a collection's sources from given folders, files of records or URLs that no longer exist.

    Of a crawled folder these are the pages that the site has no more.
    Sources of refused documents stay, as do those below an empty folder (the disk may not be mounted) and of a file of
    records with faults. A document of a site is gone if the site answers 404 or 410. Sources of a site stay while one
    of its documents is unreachable or all are gone.

    Args:
        database: A prepared store.
        specs: Absolute paths of folders and files, and URLs; other names are ignored.
        found: All documents found in them.
        collection: Collection of the papers.
        web: Access to sites; without it, their sources stay.

    Returns:
        Names of the deleted sources, in order.

    Raises:
        DatabaseError: Neo4j failed; some sources may be deleted.
    """
    refused = {one.source for one in found if isinstance(one, SourceError)}
    present = {one.name for one in found if isinstance(one, DocumentRef)} | refused
    gone: dict[str, None] = {}
    for spec in specs:
        if URL.match(spec) and web is not None:
            asked = await stored_below(database, spec, collection)
            gone |= dict.fromkeys(await asyncio.to_thread(_gone_from_site, asked, web))
        elif spec.startswith("/") and spec not in refused:
            stored = await stored_below(database, spec, collection)
            if any(name.startswith((f"{spec.rstrip('/')}/", f"{spec}#")) or name == spec for name in present):
                gone |= dict.fromkeys(name for name in stored if _is_gone(name, present, refused))
            for url in await asyncio.to_thread(gone_pages, Path(spec)):
                stored = await stored_below(database, url, collection)
                gone |= dict.fromkeys(name for name in stored if name == url and name not in present)
    for name in gone:
        await delete_source(database, collection=collection, name=name)
    return list(gone)


def _is_gone(name: str, present: Iterable[str], refused: Iterable[str]) -> bool:
    """Return whether a source is missing: not found, its file deleted, and its file of records without faults."""
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


async def stored_below(database: Database, path: str, collection: str) -> list[str]:
    records = await database.read(
        cypher.load("ingest/find_papers"),
        collection=collection,
        keys=[],
        path=path,
        below=[f"{path.rstrip('/')}/", f"{path}#"],
    )
    return [record["source"] for record in records]
