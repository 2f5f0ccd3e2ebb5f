"""Which questions of a collection stand for others: stars around leaders, brought up to date for what changed alone."""

import heapq
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from papergraph.embedding import Floats

MOST_NUMBERS_AT_ONCE = 16_000_000
"""Of a block of questions by all: 64 MB."""
SLACK = 1e-4
"""What rounding may take from a bound."""

VectorsOf = Callable[[Sequence[int]], Awaitable[Floats]]


@dataclass
class Stars:
    """Questions by position, in the order of ids, each standing for itself or for none but its leader.

    A question stands for itself unless an earlier one of another paper that does is as near as ``threshold``; then the
    first such one is its leader. That is a function of the set. Of each vector only the first components are kept: what
    the others can add to a cosine is at most the product of their lengths, so that few pairs need whole vectors.

    Attributes:
        heads: First components of each vector, shape (n, h).
        papers: A number for each question's paper, shape (n,).
        leader: Position of each question's leader, its own where it stands for itself, shape (n,).
        threshold: Cosine from which two ask the same.
    """

    heads: Floats
    papers: NDArray[np.int64]
    leader: NDArray[np.int64]
    threshold: float

    def __post_init__(self) -> None:
        """Compute what the components that are not here can add."""
        self._rest = np.sqrt(np.maximum(0.0, 1.0 - np.einsum("ij,ij->i", self.heads, self.heads)))
        self._open = np.zeros(len(self.heads), dtype=bool)
        self._queue: list[int] = []
        self.found: dict[int, tuple[int, float]] = {}
        """Leader and cosine of each question that was looked at or moved."""

    async def settle(self, changed: Iterable[int], vectors_of: VectorsOf) -> None:
        """Find the leaders of ``changed``, and of all that this moves.

        Args:
            changed: Positions of questions that are new or have lost their leader.
            vectors_of: Returns whole vectors for positions, shape (m, d).
        """
        self._push(changed)
        size = max(1, MOST_NUMBERS_AT_ONCE // max(1, len(self.heads)))
        while self._queue:
            block = [heapq.heappop(self._queue) for _ in range(min(size, len(self._queue)))]
            near = await self._near(block, vectors_of)
            for number, at in enumerate(block):
                self._open[at] = False
                moved = self._settle_one(at, *near[at])
                self._push(moved)
                if any(one < block[-1] for one in moved):  # they come before the rest of the block
                    for one in block[number + 1 :]:
                        heapq.heappush(self._queue, one)
                    break

    def _push(self, positions: Iterable[int]) -> None:
        for at in positions:
            if not self._open[at]:
                self._open[at] = True
                heapq.heappush(self._queue, at)

    async def _near(
        self, block: Sequence[int], vectors_of: VectorsOf
    ) -> dict[int, tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Return for each of ``block`` those that may decide about it, and their cosines, from the threshold on."""
        rows = np.asarray(block)
        bound = self.heads[rows] @ self.heads.T + np.outer(self._rest[rows], self._rest)
        possible = bound >= self.threshold - SLACK
        counts = (self.leader == np.arange(len(self.leader))) | ~self._open
        settled_followers = ~self._open & (self.leader != np.arange(len(self.leader)))
        earliest = int(rows[0])
        counts &= ~(settled_followers & (np.arange(len(self.leader)) < earliest))
        counts[rows] = True
        possible &= counts
        possible &= self.papers[rows][:, None] != self.papers[None, :]
        columns = np.flatnonzero(possible.any(axis=0))
        found = {int(at): (np.empty(0, np.int64), np.empty(0, np.float32)) for at in rows}
        if len(columns) == 0:
            return found
        asked = rows[possible.any(axis=1)]
        wanted = np.union1d(columns, asked)
        vectors = await vectors_of([int(at) for at in wanted])
        place = {int(at): number for number, at in enumerate(wanted)}
        for at, mask in zip(rows, possible, strict=True):
            near = np.flatnonzero(mask)
            if len(near):
                cosines = vectors[[place[int(one)] for one in near]] @ vectors[place[int(at)]]
                enough = cosines >= self.threshold
                found[int(at)] = (near[enough], cosines[enough])
        return found

    def _settle_one(self, at: int, near: NDArray[np.int64], cosines: NDArray[np.float32]) -> list[int]:
        """Find one question's leader; return those that have lost theirs by it."""
        stood = self.leader[at] == at
        for other, cosine in zip(near, cosines, strict=True):  # in the order of ids
            if other >= at:
                break
            if self.leader[other] == other:
                moved = self._followers(at) if stood else []
                self._follow(at, int(other), float(cosine))
                return moved
        self._follow(at, at, 1.0)
        moved = []
        for other, cosine in zip(near, cosines, strict=True):
            if other > at and not self._open[other] and self.leader[other] > at:
                if self.leader[other] == other:
                    moved += self._followers(int(other))
                self._follow(int(other), at, float(cosine))
        return moved

    def _follow(self, at: int, leader: int, cosine: float) -> None:
        self.leader[at] = leader
        self.found[at] = (leader, cosine)

    def _followers(self, at: int) -> list[int]:
        return [int(one) for one in np.flatnonzero(self.leader == at) if one != at]
