"""Model of the vectors in use, and vectors of queries."""

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from cachetools import LRUCache

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.embedding.model import chance_cosine
from papergraph.errors import DatabaseError, EmbeddingError, QueryError, SchemaError
from papergraph.schema.embedding_models import State, StoredModel, StoredModels, stored_models
from papergraph.telemetry import metrics, tracing
from papergraph.vector_slots import VectorSlot

# Vectors of queries, each embedded once for as long as it is kept: retrievers, pages and clients repeat queries


MOST_KEPT = 4096
"""Most cached query vectors: about 7 MB at 384 numbers each. The texts are not stored."""


class QueryVectors:
    """The vectors of the latest queries, by model and text; a query that is being embedded is waited for."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        """Keep nothing yet, and ``most`` vectors later on."""
        self._kept: LRUCache[str, Floats] = LRUCache(most)
        self._coming: dict[str, asyncio.Future[Floats]] = {}

    async def of(self, embedder: Embedder, query: str) -> list[float]:
        """Return a query's vector, length 1, shape (d,).

        Who leaves does not stop the embedding, which others may wait for; what failed is tried again.

        Raises:
            EmbeddingError: The model cannot embed it.
        """
        key = _key(embedder, query)
        vector = self._kept.get(key)
        metrics.QUERY_VECTORS.labels("made" if vector is None and key not in self._coming else "kept").inc()
        if vector is None:
            coming = self._coming.get(key)
            if coming is None:
                coming = self._coming[key] = asyncio.ensure_future(self._embed(key, embedder, query))
                coming.add_done_callback(lambda done: done.cancelled() or done.exception())  # all may have left
            vector = await asyncio.shield(coming)
        found: list[float] = vector.tolist()
        return found

    def forget(self) -> None:
        """Clear the cache of query vectors."""
        self._kept.clear()

    async def _embed(self, key: str, embedder: Embedder, query: str) -> Floats:
        try:
            vector = await asyncio.to_thread(_encode, embedder, query)
            self._kept[key] = vector
            return vector
        finally:
            del self._coming[key]


def _key(embedder: Embedder, query: str) -> str:
    card = embedder.card
    text = hashlib.sha256(query.encode(errors="surrogatepass")).hexdigest()
    return f"{card.sha256} {card.tokenizer_sha256} {text}"


def _encode(embedder: Embedder, query: str) -> Floats:
    with tracing.span("embed query"), metrics.EMBEDDING_SECONDS.labels("query").time():
        metrics.EMBEDDED_TEXTS.labels("query").inc()
        return np.asarray(embedder.encode_query(query), dtype=np.float32)


# The embedding model of a store's vectors in use, whichever that is: a change of it is noticed by the next query.
#
# A query vector is compared with vectors of its own model or with none: the statement that searches names the model and
# finds nothing once the vectors are of another. Only then the store is asked which model it is now, so that an
# unchanged model causes no work.


log = logging.getLogger(__name__)

MAX_LOOKS = 3
POLL_S = 2.0
FAILURE_KEPT_S = 30.0

T = TypeVar("T")
Load = Callable[[StoredModel], Embedder]


@dataclass(frozen=True)
class Searched:
    """Searched vector slot, and the model of its queries."""

    embedder: Embedder
    slot: VectorSlot = VectorSlot.FIRST
    state: State = State.ACTIVE


class ActiveModel:
    """Loaded model that follows a change of the store's model.

    While the new model is loading, or if that fails, queries use the old one and its stored vectors.
    """

    def __init__(self, embedder: Embedder, *, load: Load | None = None) -> None:
        """Start with ``embedder``; other models need ``load``."""
        self.searched = Searched(embedder)
        self._load = load
        self._loaded = {embedder.card.sha256: embedder}
        self._loading: dict[str, asyncio.Task[Embedder]] = {}
        self._failed: dict[str, tuple[float, EmbeddingError]] = {}
        self._vectors = QueryVectors()
        self._chance: dict[str, float] = {}

    async def search(
        self, database: Database, query: str, ask: Callable[[Searched, list[float]], Awaitable[Sequence[T]]]
    ) -> Sequence[T]:
        """Embed a query and return what ``ask`` finds for its vector, once more if the model in use has changed.

        Raises:
            SchemaError: The vectors in use are of another model, and no other may be loaded.
            EmbeddingError: They are of a model that cannot be loaded here, and no others are kept.
            DatabaseError: Neo4j failed.
        """
        if self.searched.state is not State.ACTIVE:
            await self._look(database)
        for look in range(1, MAX_LOOKS + 1):
            searched = self.searched
            vector = await self.vector(query, searched)
            try:
                found = await ask(searched, vector)
            except QueryError:  # its index may be gone, or hold vectors of another length
                if not await self._look(database, since=searched) or look == MAX_LOOKS:
                    raise
                continue
            if found or not await self._look(database, since=searched) or look == MAX_LOOKS:
                return found
        raise AssertionError("unreachable: the last look returns or raises")

    async def vector(self, query: str, searched: Searched | None = None) -> list[float]:
        """Return a query's vector, length 1; the latest are kept."""
        return await self._vectors.of((searched or self.searched).embedder, query)

    async def chance_cosine(self) -> float:
        """Return the mean cosine of unrelated texts by the model in use, computed once per model."""
        embedder = self.searched.embedder
        if (known := self._chance.get(embedder.card.sha256)) is None:
            known = self._chance[embedder.card.sha256] = await asyncio.to_thread(chance_cosine, embedder)
        return known

    def forget(self) -> None:
        """Clear the cache of query vectors."""
        self._vectors.forget()

    async def follow(self, database: Database, *, poll_s: float = POLL_S) -> None:
        """Load models whose vectors are being made, before they come into use; never returns."""
        while True:
            try:
                models = await stored_models(database)
                for stored in models:
                    if stored.state in (State.ACTIVE, State.FILLING) and self._load is not None:
                        self._begin_loading(stored, self._load)
                self._forget_others(models)
            except DatabaseError as error:
                log.debug("cannot see which embedding model is in use: %s", error)  # searches report it
            except EmbeddingError as error:
                log.debug("%s", error)  # reported by the attempt
            await asyncio.sleep(poll_s)

    async def _look(self, database: Database, *, since: Searched | None = None) -> bool:
        """Ask the store which model is in use, and say whether a search that began with ``since`` is to be repeated."""
        before = since or self.searched
        self.searched = await self._choose(await stored_models(database))
        return self.searched != before

    async def _choose(self, models: StoredModels) -> Searched:
        active, other = models.active, models.other
        if active is None:
            return self.searched
        if embedder := self._loaded.get(active.sha256):
            return Searched(embedder, active.slot)
        if self._load is None:
            ours = self.searched.embedder.card
            raise SchemaError.other_model(stored=active.identity, configured=ours.identity, name=ours.name)
        kept = None
        if other and other.state is State.KEPT and other.sha256 in self._loaded:
            kept = Searched(self._loaded[other.sha256], other.slot, State.KEPT)
        try:
            loading = self._begin_loading(active, self._load)
        except EmbeddingError:
            if kept:
                return kept
            raise
        return kept or Searched(await asyncio.shield(loading), active.slot)

    def _begin_loading(self, stored: StoredModel, load: Load) -> "asyncio.Task[Embedder]":
        """Return the task that loads a model, begun if it has not been; what failed is tried again after a while."""
        failed_at, failure = self._failed.get(stored.sha256, (0.0, None))
        if failure is not None and time.monotonic() - failed_at < FAILURE_KEPT_S:
            raise failure
        if stored.sha256 not in self._loading:
            task = self._loading[stored.sha256] = asyncio.create_task(self._load_model(stored, load))
            task.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # retrieve the exception, as the task may have no waiter
        return self._loading[stored.sha256]

    async def _load_model(self, stored: StoredModel, load: Load) -> Embedder:
        try:
            if stored.sha256 not in self._loaded:
                self._loaded[stored.sha256] = await asyncio.to_thread(load, stored)
            return self._loaded[stored.sha256]
        except EmbeddingError as error:
            failure = EmbeddingError(
                f"The vectors in the store are from {stored.identity}, which cannot be loaded: {error}. Set "
                "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model and restart, or return to an available one: "
                "papergraph embeddings rollback, or embeddings switch if its vectors are deleted",
                public="The vectors of the store are now from an embedding model that this server cannot load. Its "
                "operator must set PAPERGRAPH_EMBEDDING_MODEL to a folder with that model.",
            )
            log.warning("%s", failure)
            self._failed[stored.sha256] = time.monotonic(), failure
            raise failure from error
        finally:
            del self._loading[stored.sha256]

    def _forget_others(self, models: StoredModels) -> None:
        known = {stored.sha256 for stored in models} | {self.searched.embedder.card.sha256}
        for sha256 in self._loaded.keys() - known:
            del self._loaded[sha256]


# Vectors of chunks, kept by this process and never out of date: the store is asked each time which ones they are


MOST_BYTES = 64_000_000
"""About 41,000 vectors of 384 numbers."""


class KeptVectors:
    """The vectors of chunks that were read last, each with the hash of the model and the text that it was made of."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._n_bytes = 0
        self._kept: OrderedDict[str, tuple[str, Floats]] = OrderedDict()

    async def of(self, database: Database, searched: Searched, chunk_ids: Sequence[str]) -> dict[str, Floats]:
        """Return the current vectors of chunks, shape (d,) each; chunks without a vector are left out.

        One statement that returns only vectors missing in the cache: reading 100 takes several times longer than
        confirming that they are unchanged (benchmarks/README.md).

        Args:
            database: A prepared store.
            searched: Vector slot and model.
            chunk_ids: Chunks, each once.

        Raises:
            DatabaseError: Neo4j failed.
        """
        kept = [self._kept.get(chunk_id) for chunk_id in chunk_ids]
        rows = await database.rows(
            cypher.gathered("retrieval/chunk_vectors", searched.slot),
            chunk_ids=list(chunk_ids),
            kept=[one and one[0] for one in kept],
            model=searched.embedder.card.sha256,
            state=searched.state,
        )
        at_hand = {id: one[1] for id, one in zip(chunk_ids, kept, strict=True) if one is not None}
        found = {}
        for chunk_id, hash, vector in rows:
            if vector is not None:
                found[chunk_id] = np.array(vector, dtype=np.float32)
            elif chunk_id in at_hand:
                found[chunk_id] = at_hand[chunk_id]
            else:
                continue
            if hash is not None:
                self._keep(chunk_id, hash, found[chunk_id])
        return found

    def _keep(self, chunk_id: str, hash: str, vector: Floats) -> None:
        if before := self._kept.pop(chunk_id, None):
            self._n_bytes -= before[1].nbytes
        self._kept[chunk_id] = hash, vector
        self._n_bytes += vector.nbytes
        while self._n_bytes > self._most_bytes:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._n_bytes -= oldest.nbytes
