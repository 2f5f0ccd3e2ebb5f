"""The protocol of a retriever."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Scale
from papergraph.server.retrieval.scope import Scope

COSINE: tuple[float, float] = (0.0, 1.0)
"""The range of (1 + cosine) / 2."""
ANY = (0.0, math.inf)


@dataclass(frozen=True)
class Context:
    """The store and the options that a retriever works with.

    Attributes:
        database: A prepared store.
        model: The model of its vectors.
        nprobe: Number of prototypes to probe, at least 1.
        answered: True to search only questions with an answer, if there are any.
    """

    database: Database
    model: ActiveModel
    nprobe: int
    answered: bool = False


@dataclass(frozen=True)
class Retriever:
    """A way of searching.

    Attributes:
        name: The name in pipelines.
        order: Its place in lists of retrievers.
        retrieve: Ranks at most ``k`` chunks of a scope that is not empty for a query, best first.
        score: The range of its scores, the upper bound included; :data:`COSINE` says that they are (1 + cosine) / 2.
        perfect: Estimate of a perfect chunk's score for a query, of the query and the best chunk's score. Not for
            cosines, of which the highest is known.
        needs: The enrichments that it searches; empty where papers are enough.
    """

    name: RetrieverName
    order: int
    retrieve: Callable[[Context, str, Scope, int], Awaitable[list[Candidate]]]
    score: tuple[float, float] = ANY
    perfect: Callable[[str, float], float] = lambda query, best: best
    needs: tuple[str, ...] = ()

    @property
    def is_cosine(self) -> bool:
        """True if its scores are (1 + cosine) / 2."""
        return self.score == COSINE

    async def scale(self, on: Context, query: str, found: Sequence[Candidate], k: int) -> Scale:
        """Return the meaning of the scores of a query's candidates, of which ``k`` were wanted.

        Raises:
            EmbeddingError: The model in use failed.
        """
        if not found:
            return Scale()
        lowest, best = found[-1].score, found[0].score
        if self.is_cosine:
            unrelated, perfect = (1.0 + await on.model.chance_cosine()) / 2.0, 1.0
        else:
            unrelated, perfect = 0.0, self.perfect(query, best)
        return Scale(unrelated, perfect, lowest if len(found) >= k else unrelated)
