"""The whole way of documents into the graph: find, read, parse, cut, embed, write; a bad one does not stop the rest."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import cypher
from ingest.build import PaperRows, build, paper_text, recipe
from ingest.chunk import Chunker, ChunkOptions, ChunkSpan
from ingest.parse import Document, parse
from ingest.sources import Found, SourceFile, Spec, find_documents
from ingest.write import Arrival, KnownContent, MakeRows, Outcome, delete_arrival, find_contents, write_papers
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, encode_whole
from papergraph.errors import NotFoundError, Reason, SourceError
from papergraph.progress import Progress, silent
from schema.ids import DEFAULT_COLLECTION, arxiv_key, check_collection, doi_key

LOOKED_UP_AT_ONCE = 512
"""Documents whose contents are looked up in the graph together."""

DOCUMENTS_AT_ONCE, TEXTS_AT_ONCE = 128, 512
"""Documents that are parsed together, until they have so many texts; these are embedded together, sorted by length."""

DOCUMENTS_PER_TRANSACTION, CHUNKS_PER_TRANSACTION = 128, 1000
"""Small papers go in by many: with 16 to a transaction Neo4j's vector indexes cost nearly twice the processor time."""


@dataclass(frozen=True)
class Item:
    """What became of one document: an ``outcome`` and its key, or a ``reason`` and ``detail`` why it was refused.

    Of ``n_cut_short`` chunks that were cut now the embedding model reads the beginning only.
    """

    source: str
    outcome: Outcome | None = None
    key: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    n_cut_short: int = 0
    reason: Reason | None = None
    detail: str | None = None


@dataclass(frozen=True)
class Report:
    """What an ingestion did, one item for each document in the order of arrival; ``chunking`` is how they are cut."""

    collection: str
    items: tuple[Item, ...]
    elapsed_s: float
    chunking: ChunkOptions

    def count(self, outcome: Outcome) -> int:
        """Number of documents with this outcome."""
        return sum(item.outcome is outcome for item in self.items)

    @property
    def failed(self) -> tuple[Item, ...]:
        """The documents that were refused."""
        return tuple(item for item in self.items if item.outcome is None)


@dataclass(frozen=True)
class _Unread:
    """A document that was found, with the hash of its content where that could be read."""

    found: Found
    content_hash: str | None


@dataclass(frozen=True)
class _Unchanged:
    """A document that stood in the graph when it was looked up, from the same file and made by the same recipe."""

    found: Found
    content_hash: str
    key: str
    known: KnownContent

    @property
    def item(self) -> Item:
        known = self.known
        return Item(self.found.name, Outcome.UNCHANGED, self.key, known.title, known.n_sections, known.n_chunks)


@dataclass(frozen=True)
class _Prepared:
    """A document on its way: parsed and cut."""

    source: SourceFile
    document: Document
    spans: list[ChunkSpan]
    arrival: Arrival

    @property
    def texts(self) -> list[str]:
        return [paper_text(self.document), *(span.embedded_text for span in self.spans)]

    def item(self, outcome: Outcome) -> Item:
        return Item(
            self.arrival.source,
            outcome,
            self.arrival.key,
            self.document.title,
            n_sections=len(self.document.sections),
            n_chunks=len(self.spans),
            n_cut_short=sum(span.n_read < span.n_tokens for span in self.spans),
        )


_Ready = Item | _Unchanged | _Prepared
Vectors = dict[str, Floats]


async def ingest(
    database: Database,
    embedder: Embedder,
    specs: Sequence[Spec],
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
        specs: Files or folders; see :func:`ingest.sources.find_documents`.
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
    start = time.perf_counter()
    found = await asyncio.to_thread(lambda: list(find_documents(specs)))
    ingestion = _Ingestion(database, embedder, collection, options or ChunkOptions(), max_bytes)
    items: list[Item] = []
    writing: asyncio.Task[list[Item]] | None = None

    async def collect() -> None:
        if writing is not None:
            items.extend(await writing)
            progress.advance("documents", len(items), len(found))

    try:
        async for ready, vectors in ingestion.prepare(found):
            await collect()
            writing = asyncio.create_task(ingestion.write(ready, vectors))  # while the next ones are prepared
        await collect()
    except asyncio.CancelledError:
        if writing is not None:
            writing.cancel()
        raise
    finally:
        if writing is not None and not writing.done():  # something failed: let what is on its way arrive
            await asyncio.gather(writing, return_exceptions=True)
    return Report(collection, tuple(items), time.perf_counter() - start, ingestion.options)


async def delete(database: Database, names: Sequence[str], *, collection: str = DEFAULT_COLLECTION) -> list[str]:
    """Delete papers from a collection.

    Args:
        database: A prepared store.
        names: Keys, ids, DOIs, arXiv ids, URLs, paths of files, or of folders and files of records, which stand for all
            that was ingested out of them.
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
            below=[f"{path.rstrip('/')}/", f"{path}#"] if path else [],
        )
        if not matches:
            raise NotFoundError(f"paper in collection {collection!r} with key, id or path", name, field="names")
        arrivals |= dict.fromkeys((record["key"], record["source"]) for record in matches)
    for key, source in arrivals:
        await delete_arrival(database, collection=collection, key=key, source=source)
    return list(dict.fromkeys(key for key, _ in arrivals))


class _Ingestion:
    """One call of :func:`ingest` on its way through the documents."""

    def __init__(
        self, database: Database, embedder: Embedder, collection: str, options: ChunkOptions, max_bytes: int
    ) -> None:
        self._database, self._embedder, self._collection = database, embedder, collection
        self.options, self._max_bytes = options, max_bytes
        self._recipe = recipe(embedder.card, options)
        self._known: set[str] = set()
        """Contents whose texts need no vectors: they stand in the graph, or are on their way there."""

        self._n_written = 0

    async def prepare(self, found: Sequence[Found | SourceError]) -> AsyncIterator[tuple[list[_Ready], Vectors]]:
        """Yield the documents in groups, in order: what is to be written parsed, cut and embedded."""
        for first in range(0, len(found), LOOKED_UP_AT_ONCE):
            documents = await self._look_up(found[first : first + LOOKED_UP_AT_ONCE])
            while documents:
                ready = await asyncio.to_thread(self._next_group, documents)
                documents = documents[len(ready) :]
                yield ready, await asyncio.to_thread(self._embed, ready)

    async def write(self, ready: list[_Ready], vectors: Vectors) -> list[Item]:
        """Write a group's documents in order and return what became of each."""
        ready = await self._still_unchanged(ready)
        prepared = [entry for entry in ready if isinstance(entry, _Prepared)]
        written: dict[str, Item] = {}
        for group in _for_transactions(prepared):
            self._n_written += len(group)
            arrivals = [(entry.arrival, self._rows(entry, vectors)) for entry in group]
            for entry, outcome in zip(group, await write_papers(self._database, arrivals), strict=True):
                written[entry.source.name] = entry.item(outcome)

        def item_of(entry: _Ready) -> Item:
            match entry:
                case _Prepared():
                    return written[entry.source.name]
                case _Unchanged():
                    return entry.item
                case Item():
                    return entry

        return [item_of(entry) for entry in ready]

    async def _look_up(self, found: Sequence[Found | SourceError]) -> list[Item | _Unread | _Unchanged]:
        def read() -> list[Item | _Unread]:
            return [
                _refused(document)
                if isinstance(document, SourceError)
                else _Unread(document, document.content_hash(max_bytes=self._max_bytes))
                for document in found
            ]

        documents = await asyncio.to_thread(read)
        unread = [document for document in documents if isinstance(document, _Unread)]
        unchanged = await self._find_unchanged(unread)
        return [
            unchanged.get(document.found.name, document) if isinstance(document, _Unread) else document
            for document in documents
        ]

    async def _find_unchanged(self, documents: Sequence[_Unread | _Unchanged]) -> dict[str, _Unchanged]:
        contents = list({document.content_hash for document in documents if document.content_hash})
        if not contents:
            return {}
        known = await find_contents(self._database, contents, collection=self._collection, recipe=self._recipe)
        self._known |= known.keys()
        unchanged = {}
        for document in documents:
            content = document.content_hash or ""
            keys = (
                [key for key, source in known[content].pairs if source == document.found.name]
                if content in known
                else []
            )
            if keys:  # the key that a content has does not change unless the recipe does
                unchanged[document.found.name] = _Unchanged(document.found, content, keys[0], known[content])
        return unchanged

    def _next_group(self, documents: Sequence[Item | _Unread | _Unchanged]) -> list[_Ready]:
        """Parse and cut the first documents, until there is enough to embed."""
        ready: list[_Ready] = []
        n_texts = n_read = 0
        for document in documents:
            if n_texts >= TEXTS_AT_ONCE or n_read >= DOCUMENTS_AT_ONCE:
                break
            entry = self._read(document.found) if isinstance(document, _Unread) else document
            if isinstance(entry, _Prepared):
                n_texts += len(entry.texts)
                n_read += 1
            ready.append(entry)
        return ready

    def _read(self, found: Found) -> _Prepared | Item:
        try:
            source = found.read(max_bytes=self._max_bytes)
            document = parse(source)
        except SourceError as error:
            return _refused(error)
        spans = list(self._chunker.chunks(document))
        key = document.key
        arrival = Arrival(self._collection, key, source.name, source.content_hash, self._recipe, len(spans))
        return _Prepared(source, document, spans, arrival)

    @cached_property
    def _chunker(self) -> Chunker:
        return Chunker(self._embedder.tokenizer, self.options, longest_read=self._embedder.card.max_tokens)

    def _embed(self, ready: Sequence[_Ready]) -> Vectors:
        """Return a vector for each distinct text of the documents whose content is not known yet."""
        new = [e for e in ready if isinstance(e, _Prepared) and e.source.content_hash not in self._known]
        if not new:
            return {}
        self._known |= {entry.source.content_hash for entry in new}
        texts = list(dict.fromkeys(text for entry in new for text in entry.texts))
        return dict(zip(texts, self._encode(texts), strict=True))

    def _encode(self, texts: Sequence[str]) -> Floats:
        whole = self.options.method.read_whole
        return encode_whole(self._embedder, texts) if whole else self._embedder.encode_documents(texts)

    async def _still_unchanged(self, ready: list[_Ready]) -> list[_Ready]:
        """Read the unchanged documents after all if they no longer stand there, or if one beside them takes their key.

        Documents of one call can replace each other: the last one that has a key keeps it.
        """
        unchanged = [entry for entry in ready if isinstance(entry, _Unchanged)]
        if not unchanged:
            return ready
        taken = {entry.arrival.key for entry in ready if isinstance(entry, _Prepared)}
        at_stake = any(key in taken for entry in unchanged for key, _ in entry.known.pairs)
        if not at_stake and not self._n_written:
            return ready
        still = {} if at_stake else await self._find_unchanged(unchanged)

        def look_again() -> list[_Ready]:
            return [
                still.get(entry.found.name) or self._read(entry.found) if isinstance(entry, _Unchanged) else entry
                for entry in ready
            ]

        return await asyncio.to_thread(look_again)

    def _rows(self, entry: _Prepared, vectors: Vectors) -> MakeRows:
        def make_rows(key: str) -> PaperRows:
            missing = [text for text in entry.texts if text not in vectors]  # deleted since we looked: rare
            vectors.update(zip(missing, self._encode(missing), strict=True))
            return build(
                entry.source,
                entry.document,
                entry.spans,
                [vectors[text] for text in entry.texts],
                key=key,
                collection=self._collection,
                card=self._embedder.card,
                options=self.options,
            )

        return make_rows


def _refused(error: SourceError) -> Item:
    return Item(error.source, reason=error.reason, detail=error.detail)


def _for_transactions(prepared: Sequence[_Prepared]) -> Iterator[list[_Prepared]]:
    group: list[_Prepared] = []
    for entry in prepared:
        n_chunks = len(entry.spans) + sum(len(other.spans) for other in group)
        if group and (len(group) == DOCUMENTS_PER_TRANSACTION or n_chunks > CHUNKS_PER_TRANSACTION):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


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
