"""Questions of different papers that ask the same: each is related to the one that stands for it."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import DEADLINE_S, PAGE_ROWS, Row, batches, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import ModelChangedError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import sha256
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

# Leaders of a collection's questions, updated for changed questions only


MOST_NUMBERS_AT_ONCE = 16_000_000
"""Of a block of questions by all: 64 MB."""
SLACK = 1e-4
"""Tolerance of bounds for rounding."""

VectorsOf = Callable[[Sequence[int]], Awaitable[Floats]]


@dataclass
class Stars:
    """Questions in the order of ids, each a leader or assigned to one.

    A question leads itself unless an earlier leader of another paper is as near as ``threshold``; the first such one is
    its leader. The result is a function of the set. Only the first components of each vector are kept: the others add
    at most the product of their lengths to a cosine, so that few pairs need whole vectors.

    Attributes:
        heads: First components of each vector, shape (n, h).
        papers: A number for each question's paper, shape (n,).
        leader: Position of each question's leader, its own for leaders, shape (n,).
        threshold: Least cosine of duplicates.
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


# Duplicate questions of different papers: each is related to its leader.
#
# Both stay, for each is answered by its own paper. Which one stands for others is a function of the set of questions,
# and no approximate index has a say in it; what did not change is not compared again (:mod:`.stars`). A question bears
# by what it was compared (``comparisonConfigHash``); one whose leader goes loses that mark in the same transaction.


VERSION = "1"
HEAD = 64
"""Components of each vector that are kept in memory: 256 bytes a question."""
ROWS_PER_TRANSACTION = 5000


@dataclass
class _Questions:
    """Questions of a collection in the order of ids; ``changed`` are the positions of those to compare again."""

    heads: list[Floats] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    papers: list[str] = field(default_factory=list)
    leaders: list[str | None] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)

    def stars(self, threshold: float) -> Stars:
        """Return them as they stood for each other."""
        place = {id: at for at, id in enumerate(self.ids)}
        stood = enumerate(zip(self.ids, self.leaders, strict=True))
        return Stars(
            np.concatenate(self.heads),
            np.unique(self.papers, return_inverse=True)[1].astype(np.int64),
            np.array([place.get(leader or id, at) for at, (id, leader) in stood]),
            threshold,
        )


async def relate(
    database: Database, collection: str, *, threshold: float, model: str, progress: Progress
) -> dict[str, int | float]:
    """Update ``DUPLICATE_OF`` to a collection's current questions.

    Args:
        database: The store.
        collection: Name of the collection.
        threshold: Least cosine of duplicates, in (0, 1].
        model: sha-256 of the embedding model whose vectors are compared.
        progress: Receives the progress.

    Returns:
        ``n_questions``, ``n_duplicates``, and ``n_compared``: the number of questions compared again.

    Raises:
        ModelChangedError: The vectors in use are of another model.
        DatabaseError: Neo4j failed; the next call continues.
    """
    slot = await slot_of(database, model)
    by = sha256("duplicates", VERSION, f"{threshold:g}", model)
    asked = await _read(database, collection, slot, by)
    ids = asked.ids
    if not ids:
        return {"n_questions": 0, "n_duplicates": 0, "n_compared": 0}
    stars = asked.stars(threshold)

    async def vectors_of(positions: Sequence[int]) -> Floats:
        return await _vectors(database, slot, [ids[at] for at in positions])

    progress.step(f"comparing {len(asked.changed)} questions with {len(ids)}")
    await stars.settle(asked.changed, vectors_of)
    rows: list[Row] = []
    different: list[Row] = []
    for at, (leader, cosine) in sorted(stars.found.items()):
        alone = leader == at
        row: Row = {"id": ids[at], "leader": None if alone else ids[leader], "score": round(cosine, 3), "by": by}
        rows.append(row)
        if (asked.leaders[at], asked.scores[at]) != ((None, None) if alone else (row["leader"], row["score"])):
            different.append(row)
    await _run(database, cypher.load("enrichments/write_duplicates"), different)
    await _run(database, cypher.load("enrichments/mark_compared"), rows)
    n_duplicates = int(np.count_nonzero(stars.leader != np.arange(len(ids))))
    return {"n_questions": len(ids), "n_duplicates": n_duplicates, "n_compared": len(stars.found)}


async def _read(database: Database, collection: str, slot: VectorSlot, by: str) -> _Questions:
    found = _Questions()
    heads_of = cypher.load("enrichments/question_heads", slot)
    async for page in pages(database, heads_of, collection=collection, n_components=HEAD):
        found.heads.append(np.asarray([record["head"] for record in page], dtype=np.float32))
        for record in page:
            if record["comparison_config_hash"] != by:
                found.changed.append(len(found.ids))
            found.ids.append(record["id"])
            found.papers.append(record["paper_id"])
            found.leaders.append(record["leader"])
            found.scores.append(record["score"])
    return found


async def slot_of(database: Database, model: str) -> VectorSlot:
    """Return the place where a model's vectors stand.

    Raises:
        ModelChangedError: The vectors in use are of another one.
    """
    active = (await stored_models(database)).active
    if active is None or active.sha256 != model:
        raise ModelChangedError(active=active.identity if active else "none")
    return active.slot


async def _vectors(database: Database, slot: VectorSlot, ids: Sequence[str]) -> Floats:
    """Return whole vectors, in the order of ``ids``; of a question that has gone meanwhile a vector near to nothing."""
    found: dict[str, Floats] = {}
    for batch in batches(ids, PAGE_ROWS):
        records = await database.read(
            cypher.load("enrichments/question_vectors", slot), ids=list(batch), deadline_s=DEADLINE_S
        )
        found |= {record["id"]: np.asarray(record["embedding"], dtype=np.float32) for record in records}
        await asyncio.sleep(0)
    length = len(next(iter(found.values()))) if found else 1
    return np.stack([found.get(id, np.zeros(length, dtype=np.float32)) for id in ids])


async def _run(database: Database, statement: Statement, rows: Sequence[Row]) -> None:
    """Run a statement over rows, some thousand to a transaction; it can be done again."""
    for part in batches(rows, ROWS_PER_TRANSACTION):

        async def work(transaction: Transaction, part: Sequence[Row] = part) -> None:
            for batch in batches(part):
                await transaction.run(statement, rows=list(batch))

        await database.transact_until_known(statement.name, work, deadline_s=DEADLINE_S)
