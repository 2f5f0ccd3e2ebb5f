"""What of the documents that were found is new: they are hashed and looked up, and nothing is parsed."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingest.graph.stored_papers import find_contents
from ingest.graph.writer import WriteOutcome
from ingest.jobs.model import NewTask
from ingest.pipeline.report import Item
from ingest.sources import DocumentRef
from papergraph.database import Database
from papergraph.errors import SourceError

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
