"""Vectors of queries, each embedded once for as long as it is kept: retrievers, pages and clients repeat queries."""

import asyncio
import hashlib

import numpy as np
from cachetools import LRUCache

from papergraph.embedding import Embedder, Floats
from papergraph.telemetry import metrics, tracing

MOST_KEPT = 4096
"""Of 384 numbers each, about 7 MB; the text itself is not kept."""


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
        """Keep no vector, so that the next query is embedded anew."""
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
