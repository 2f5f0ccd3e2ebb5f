"""How many candidates of an index to look through so that enough of them pass a filter that the index cannot apply."""

import math
from collections.abc import Awaitable, Callable

from server.retrieval.candidates import Candidate
from server.retrieval.scope import Scope

LEAST_ASKED = 200
"""Of a vector index: asked for few, it misses some of the very nearest."""
GROWTH = 4
MARGIN = 1.5
"""What passes may stand further down than evenly spread."""


def looks(k: int, share: float, n_all: int) -> list[int]:
    """Return how many to look through for ``k`` that pass: first what should do, then every one.

    Args:
        k: How many are wanted, at least 1.
        share: About which share passes, in (0, 1].
        n_all: How many there are to look through.
    """
    first = max(math.ceil(MARGIN * k / share), k)
    return [first, n_all] if first < n_all else [max(k, n_all)]


async def first_passing(
    scope: Scope,
    ask: Callable[[int], Awaitable[list[Candidate]]],
    *,
    k: int,
    most: int | None = None,
) -> list[Candidate]:
    """Return the first ``k`` candidates that pass; ask a retriever for more until there are as many or no more come.

    Args:
        scope: Where is looked.
        ask: The retriever: returns as many as it is asked for, best first, fewer where it has no more.
        k: How many are wanted.
        most: Where it is asked for something else than chunks, such as questions: how many it can be asked for.
    """
    n_all = k if scope.passing is None else most or max(k, scope.passing.n_chunks)
    asked = k
    while True:
        found = await ask(asked)
        let_in = [candidate for candidate in found if scope.passes(candidate.chunk_id, candidate.paper_id)]
        if len(let_in) >= k or (len(found) < asked and not most) or asked >= n_all:
            return let_in[:k]
        asked = min(n_all, GROWTH * asked)
