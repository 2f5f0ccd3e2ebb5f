"""The whole way of documents into the graph: find, read, parse, cut, embed, write; a bad one does not stop the rest."""

import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cypher
from ingest.build import PaperRows, build, paper_text, recipe
from ingest.chunk import Chunker, ChunkOptions, ChunkSpan
from ingest.parse import Document, parse
from ingest.sources import SourceFile, find_documents, read_document
from ingest.write import Arrival, Outcome, delete_arrival, write_paper
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.errors import NotFoundError, Reason, SourceError
from papergraph.progress import Progress, silent
from schema.ids import DEFAULT_COLLECTION, arxiv_key, check_collection, doi_key

DOCUMENTS_PER_GROUP = 16
"""Documents that are embedded together and then written one by one."""


@dataclass(frozen=True)
class Item:
    """What became of one document: an ``outcome`` and its key, or a ``reason`` and ``detail`` why it was refused."""

    source: str
    outcome: Outcome | None = None
    key: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    reason: Reason | None = None
    detail: str | None = None


@dataclass(frozen=True)
class Report:
    """What an ingestion did, one item for each document in the order of arrival."""

    collection: str
    items: tuple[Item, ...]
    elapsed_s: float

    def count(self, outcome: Outcome) -> int:
        """Number of documents with this outcome."""
        return sum(item.outcome is outcome for item in self.items)

    @property
    def failed(self) -> tuple[Item, ...]:
        """The documents that were refused."""
        return tuple(item for item in self.items if item.outcome is None)


@dataclass(frozen=True)
class _Prepared:
    """A document on its way: parsed and cut, not embedded yet."""

    source: SourceFile
    document: Document
    spans: list[ChunkSpan]
    arrival: Arrival

    @property
    def texts(self) -> list[str]:
        return [paper_text(self.document), *(span.embedded_text for span in self.spans)]


async def ingest(
    database: Database,
    embedder: Embedder,
    paths: Sequence[Path],
    *,
    collection: str = DEFAULT_COLLECTION,
    options: ChunkOptions | None = None,
    max_bytes: int = 20_000_000,
    progress: Progress = silent,
) -> Report:
    """Bring files, and those below folders, into a collection.

    What stands in the graph already is neither embedded nor written again, so an interrupted call is resumed by
    making it again.

    Args:
        database: A prepared store (:func:`schema.migrate.prepare`).
        embedder: The store's embedding model.
        paths: PDF, Markdown or text files, or folders.
        collection: Where the papers go.
        options: How to cut chunks.
        max_bytes: Largest file that is read.
        progress: Hears how many documents are done.

    Returns:
        One item for each document; refused ones are among them, with the reason.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was reported through ``progress`` until then is written.
    """
    check_collection(collection)
    options = options or ChunkOptions()
    start = time.perf_counter()
    chunker = Chunker(embedder.tokenizer, options)
    found = await asyncio.to_thread(lambda: list(find_documents(paths)))
    items: list[Item] = []
    for first in range(0, len(found), DOCUMENTS_PER_GROUP):
        group = found[first : first + DOCUMENTS_PER_GROUP]
        prepared = await asyncio.to_thread(_prepare, group, embedder, chunker, collection, max_bytes)
        vectors = await _embed_new(database, embedder, [entry for entry in prepared if isinstance(entry, _Prepared)])
        for entry in prepared:
            items.append(
                entry if isinstance(entry, Item) else await _write(database, embedder, options, entry, vectors)
            )
            progress.advance("documents", len(items), len(found))
    return Report(collection, tuple(items), time.perf_counter() - start)


async def delete(database: Database, names: Sequence[str], *, collection: str = DEFAULT_COLLECTION) -> list[str]:
    """Delete papers from a collection.

    Args:
        database: A prepared store.
        names: Keys, ids, DOIs, arXiv ids, paths of files, or folders, which stand for all that was ingested below them.
        collection: Where they stand.

    Returns:
        The keys of what was deleted, in order.

    Raises:
        NotFoundError: A name stands for nothing there; nothing was deleted.
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was deleted until then is gone.
    """
    check_collection(collection)
    arrivals: dict[tuple[str, str], None] = {}
    for name in names:
        path = _path(name)
        matches = await database.read(
            cypher.load("ingest/find_papers"),
            collection=collection,
            keys=_possible_keys(name),
            path=path,
            folder=path and f"{path.rstrip('/')}/",
        )
        if not matches:
            raise NotFoundError(f"paper in collection {collection!r} with key, id or path", name, field="names")
        arrivals |= dict.fromkeys((record["key"], record["source"]) for record in matches)
    for key, source in arrivals:
        await delete_arrival(database, collection=collection, key=key, source=source)
    return list(dict.fromkeys(key for key, _ in arrivals))


def _prepare(
    group: Iterable[Path | SourceError], embedder: Embedder, chunker: Chunker, collection: str, max_bytes: int
) -> list[_Prepared | Item]:
    prepared: list[_Prepared | Item] = []
    made_by = recipe(embedder.card, chunker.options)
    for path in group:
        try:
            if isinstance(path, SourceError):
                raise path
            source = read_document(path, max_bytes=max_bytes)
            document = parse(source)
        except SourceError as error:
            prepared.append(Item(error.source, reason=error.reason, detail=error.detail))
            continue
        spans = list(chunker.chunks(document))
        arrival = Arrival(collection, document.key, str(source.path), source.content_hash, made_by, len(spans))
        prepared.append(_Prepared(source, document, spans, arrival))
    return prepared


async def _embed_new(database: Database, embedder: Embedder, prepared: list[_Prepared]) -> dict[str, Floats]:
    """Return a vector for each distinct text of the documents whose content is not in the graph yet."""
    if not prepared:
        return {}
    first = prepared[0].arrival
    records = await database.read(
        cypher.load("ingest/find_contents"),
        collection=first.collection,
        contents=[entry.source.content_hash for entry in prepared],
        recipe=first.recipe,
    )
    known = {record["content"] for record in records}
    texts = list(dict.fromkeys(t for entry in prepared if entry.source.content_hash not in known for t in entry.texts))
    return dict(zip(texts, await asyncio.to_thread(embedder.encode_documents, texts), strict=True))


async def _write(
    database: Database, embedder: Embedder, options: ChunkOptions, entry: _Prepared, vectors: dict[str, Floats]
) -> Item:
    def make_rows(key: str) -> PaperRows:
        missing = [text for text in entry.texts if text not in vectors]  # deleted since we looked: rare, so not batched
        vectors.update(zip(missing, embedder.encode_documents(missing), strict=True))
        return build(
            entry.source,
            entry.document,
            entry.spans,
            [vectors[text] for text in entry.texts],
            key=key,
            collection=entry.arrival.collection,
            card=embedder.card,
            options=options,
        )

    outcome = await write_paper(database, entry.arrival, make_rows)
    return Item(
        entry.arrival.source,
        outcome=outcome,
        key=entry.arrival.key,
        title=entry.document.title,
        n_sections=len(entry.document.sections),
        n_chunks=len(entry.spans),
    )


def _possible_keys(name: str) -> list[str]:
    keys = [name]
    for as_key in (doi_key, arxiv_key):
        try:
            keys.append(as_key(name))
        except ValueError:
            continue
    return keys


def _path(name: str) -> str:
    """Return the path that a name stands for, absolute, or '' for what is none."""
    return os.path.abspath(name) if name.strip() else ""  # noqa: PTH100 as when it was found
