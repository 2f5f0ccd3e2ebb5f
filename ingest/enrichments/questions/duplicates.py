"""Questions of different papers that ask the same: each is related to the one that stands for it.

Both stay, for each is answered by its own paper. Which one stands for others is a function of the set of questions,
and no approximate index has a say in it; what did not change is not compared again (:mod:`.stars`). A question bears by
what it was compared (``comparisonConfigHash``); one whose leader goes loses that mark in the same transaction.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import cypher
from ingest.enrichments.questions.leader_index import Stars
from ingest.graph.rows import Row
from papergraph.batches import DEADLINE_S, PAGE_ROWS, batches, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import ModelChangedError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema.embedding_models import stored_models
from schema.ids import sha256

VERSION = "1"
HEAD = 64
"""Components of each vector that are kept in memory: 256 bytes a question."""
ROWS_PER_TRANSACTION = 5000


@dataclass
class _Questions:
    """The questions of a collection in the order of ids; ``changed`` are the places of those to be compared anew."""

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
    """Bring ``DUPLICATE_OF`` in a collection to what its questions say now.

    Args:
        database: The store.
        collection: Whose questions.
        threshold: Cosine from which two ask the same, in (0, 1].
        model: sha-256 of the embedding model whose vectors are compared.
        progress: Hears how far it is.

    Returns:
        ``n_questions``, ``n_duplicates`` and ``n_compared``, those that were compared anew.

    Raises:
        ModelChangedError: The vectors in use are of another model.
        DatabaseError: Neo4j failed; the next call goes on.
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
