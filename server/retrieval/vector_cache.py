"""Vectors of chunks, kept by this process and never out of date: the store is asked each time which ones they are."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

import cypher
from papergraph.database import Database
from papergraph.embedding import Floats
from server.retrieval.active_model import Searched

MOST_BYTES = 64_000_000
"""About 41,000 vectors of 384 numbers."""


class KeptVectors:
    """The vectors of chunks that were read last, each with the hash of the model and the text that it was made of."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._n_bytes = 0
        self._kept: OrderedDict[str, tuple[str, Floats]] = OrderedDict()

    async def of(self, database: Database, searched: Searched, chunk_ids: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of chunks as they are in the store now, shape (d,) each; of those that have one.

        One statement, which gives back only vectors that are not kept: reading 100 takes a few times as long as
        being told that they are the same (benchmarks/README.md).

        Args:
            database: A prepared store.
            searched: Which of its vectors, and their model.
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
