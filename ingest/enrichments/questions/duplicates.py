"""Questions of different papers that ask the same: each is related to the one that stands for it.

Both stay, for each is answered by its own paper. Which one stands for others is a function of the set of questions,
and no approximate index has a say in it; what did not change is not compared again (:mod:`.stars`). A question bears by
what it was compared (``comparedBy``); one whose leader goes loses that mark in the same transaction.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

import cypher
from ingest.build import Row
from ingest.layers.questions.stars import Stars
from ingest.pages import DEADLINE_S, PAGE_ROWS, batches, pages
from papergraph.database import Database, Statement, Transaction
from papergraph.embedding import Floats
from papergraph.errors import ModelChangedError
from papergraph.progress import Progress
from papergraph.slots import Slot
from schema.ids import sha256
from schema.stored_models import stored_models

VERSION = "1"
HEAD = 64
"""Components of each vector that are kept in memory: 256 bytes a question."""
ROWS_PER_TRANSACTION = 5000


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
    heads: list[Floats] = []
    ids: list[str] = []
    papers: list[str] = []
    leaders: list[str | None] = []
    scores: list[float | None] = []
    changed: list[int] = []
    heads_of = cypher.load("layers/question_heads", slot)
    async for page in pages(database, heads_of, collection=collection, n_components=HEAD):
        heads.append(np.asarray([record["head"] for record in page], dtype=np.float32))
        for record in page:
            if record["compared_by"] != by:
                changed.append(len(ids))
            ids.append(record["id"])
            papers.append(record["paper_id"])
            leaders.append(record["leader"])
            scores.append(record["score"])
    if not ids:
        return {"n_questions": 0, "n_duplicates": 0, "n_compared": 0}
    place = {id: at for at, id in enumerate(ids)}
    stars = Stars(
        np.concatenate(heads),
        np.unique(papers, return_inverse=True)[1].astype(np.int64),
        np.array([place.get(leader or id, at) for at, (id, leader) in enumerate(zip(ids, leaders, strict=True))]),
        threshold,
    )

    async def vectors_of(positions: Sequence[int]) -> Floats:
        return await _vectors(database, slot, [ids[at] for at in positions])

    progress.step(f"comparing {len(changed)} questions with {len(ids)}")
    await stars.settle(changed, vectors_of)
    rows: list[Row] = []
    different: list[Row] = []
    for at, (leader, cosine) in sorted(stars.found.items()):
        alone = leader == at
        row: Row = {"id": ids[at], "leader": None if alone else ids[leader], "score": round(cosine, 3), "by": by}
        rows.append(row)
        if (leaders[at], scores[at]) != ((None, None) if alone else (row["leader"], row["score"])):
            different.append(row)
    await _run(database, cypher.load("layers/write_duplicates"), different)
    await _run(database, cypher.load("layers/mark_compared"), rows)
    n_duplicates = int(np.count_nonzero(stars.leader != np.arange(len(ids))))
    return {"n_questions": len(ids), "n_duplicates": n_duplicates, "n_compared": len(stars.found)}


async def slot_of(database: Database, model: str) -> Slot:
    """Return the place where a model's vectors stand.

    Raises:
        ModelChangedError: The vectors in use are of another one.
    """
    active = (await stored_models(database)).active
    if active is None or active.sha256 != model:
        raise ModelChangedError(active=active.identity if active else "none")
    return active.slot


async def _vectors(database: Database, slot: Slot, ids: Sequence[str]) -> Floats:
    """Return whole vectors, in the order of ``ids``; of a question that has gone meanwhile a vector near to nothing."""
    found: dict[str, Floats] = {}
    for batch in batches(ids, PAGE_ROWS):
        records = await database.read(
            cypher.load("layers/question_vectors", slot), ids=list(batch), deadline_s=DEADLINE_S
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
