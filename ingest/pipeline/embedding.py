"""Texts of documents embedded some seconds at a time, so that those who follow a job see how far each document is."""

import asyncio
import time
from collections.abc import Sequence
from itertools import accumulate

from ingest.jobs.model import Claim, TaskProgress
from ingest.jobs.stages import Stage
from ingest.jobs.worker import RENEWED_EVERY_S
from ingest.pipeline.prepare import Prepared, Vectors
from ingest.pipeline.work_state import WorkState
from papergraph.embedding import Floats

FIRST_TEXTS = 64
"""Texts that are embedded at once until the model's speed is known."""


class Embedding:
    """Embeds the texts of one process's work on a job, and notes how far its documents are."""

    def __init__(self, state: WorkState) -> None:
        self._state = state
        self._n_chars, self._taken_s = 0, 0.0

    async def run(self, documents: Sequence[tuple[Claim, Prepared]], texts: Sequence[str]) -> Vectors:
        """Return the vectors of distinct ``texts``; the other texts of ``documents`` have theirs already.

        Texts of about one length are embedded together, about as many as take until the leases are renewed.

        Raises:
            EmbeddingError: The server of the embedding model failed, or has another model.
        """
        waiting = sorted(texts, key=len, reverse=True)
        vectors: dict[str, Floats] = {}
        self._note(documents, waiting)
        while waiting:
            n = self._n_at_once(waiting)
            batch, waiting = waiting[:n], waiting[n:]
            start = time.perf_counter()
            vectors |= await asyncio.to_thread(self._state.preparer.embed, batch)
            self._taken_s += time.perf_counter() - start
            self._n_chars += sum(map(len, batch))
            self._note(documents, waiting)
        return vectors

    def _n_at_once(self, waiting: Sequence[str]) -> int:
        """Return how many of the texts, the longest first, take about as long as a lease waits for its renewal."""
        if not self._n_chars:
            return FIRST_TEXTS
        most = RENEWED_EVERY_S * self._n_chars / max(self._taken_s, 1e-6)
        return max(FIRST_TEXTS, sum(n_chars <= most for n_chars in accumulate(map(len, waiting))))

    def _note(self, documents: Sequence[tuple[Claim, Prepared]], waiting: Sequence[str]) -> None:
        """Note how many chunks of each document have a vector, and how long the texts that wait will take."""
        missing = set(waiting)
        seconds_left = sum(map(len, waiting)) * self._taken_s / self._n_chars if self._n_chars else None
        for claim, ready in documents:
            if claim.id in self._state.held:
                n_missing = sum(text in missing for text in ready.texts[1:])
                n_embedded = ready.n_chunks - min(n_missing, ready.n_chunks)
                left = 0.0 if not n_missing else seconds_left
                self._state.held[claim.id] = TaskProgress(Stage.EMBED, ready.n_chunks, n_embedded, left)
