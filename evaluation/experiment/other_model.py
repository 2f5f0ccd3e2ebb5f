"""Another embedding model over the chunks of a collection: exact comparison in memory, nothing is written."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.corpus_store import VECTORS, RememberingEmbedder
from evaluation.experiment.texts import ChunkText
from ingest.chunkers import chunkers
from papergraph.embedding import Embedder, Floats, encode_whole, open_model
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from server.retrieval.candidates import Candidate, RetrieverName

RETRIEVERS = frozenset({RetrieverName.VECTOR, RetrieverName.FULLTEXT, RetrieverName.NAME})
"""Those that need no vectors of the store's own model when another one is compared."""

TEXTS_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class OtherModel:
    """Chunks with vectors of a model.

    Attributes:
        embedder: The model.
        chunks: The chunks, in order of id.
        vectors: Theirs, of length 1, shape (n, d).
    """

    embedder: Embedder
    chunks: Sequence[ChunkText]
    vectors: Floats

    def nearest(self, query: str, k: int) -> tuple[Candidate, ...]:
        """Return the ``k`` chunks nearest to a query, best first, with (1 + cosine) / 2; of equal ones by id."""
        scores = (1.0 + self.vectors @ self.embedder.encode_query(query)) / 2.0
        best = np.argsort(-scores, kind="stable")[:k]
        return tuple(Candidate(self.chunks[n].id, self.chunks[n].paper_id, float(scores[n])) for n in best)

    def vectors_of(self, chunk_ids: Sequence[str]) -> Mapping[str, Floats]:
        """Return the vectors of chunks by id."""
        wanted = set(chunk_ids)
        return {chunk.id: self.vectors[n] for n, chunk in enumerate(self.chunks) if chunk.id in wanted}


async def open_other(
    settings: Settings, name: str, chunks: Sequence[ChunkText], *, progress: Progress = silent
) -> OtherModel:
    """Return a model with the vectors of chunks; vectors are kept in the cache, so that a repetition embeds nothing.

    Raises:
        EmbeddingError: There is no such model, or it cannot be used.
    """
    model = await asyncio.to_thread(open_model, settings.embedding, name)
    embedder = RememberingEmbedder(model, settings.cache.expanduser().resolve() / "evaluation" / VECTORS)
    whole = {name for name, method in chunkers().items() if method.read_whole}
    vectors = np.zeros((len(chunks), embedder.card.dimension), np.float32)
    for start in range(0, len(chunks), TEXTS_AT_ONCE):
        numbers = range(start, min(start + TEXTS_AT_ONCE, len(chunks)))
        for is_whole in (False, True):
            alike = [n for n in numbers if (chunks[n].chunker in whole) is is_whole]
            if alike:
                texts = [chunks[n].embedded for n in alike]
                encode = encode_whole if is_whole else type(embedder).encode_documents
                vectors[alike] = await asyncio.to_thread(encode, embedder, texts)
        progress.advance(f"chunks embedded by {name}", numbers.stop, len(chunks))
    return OtherModel(embedder, chunks, vectors)
