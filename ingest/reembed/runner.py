"""Vectors of another embedding model beside those in use, and the change to them in one step; searches go on meanwhile.

The new vectors stand in the other of two places (:mod:`papergraph.vector_slots`), with indexes of their own. What has a
vector in use needs one there; what is written meanwhile loses the one it had there, so it is missing again and is
caught up. The change happens in the transaction that finds nothing missing, with all writers waiting outside.
Everything is done in small transactions that can be repeated: a call that is killed is resumed by making it again.
"""

import time
from dataclasses import dataclass

import cypher
from ingest.reembed.filling import SWITCH_DEADLINE_S, Filling, Pace, TextPass, count_missing, pass_over_pages
from ingest.reembed.lease import model_lease
from papergraph.database import Database
from papergraph.embedding import Embedder, ModelCard
from papergraph.errors import ReembedError, UnknownOutcomeError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.vector_slots import VectorSlot
from schema.embedding_models import State, StoredModel, StoredModels, stored_models
from schema.indexes import LARGEST_DIMENSION
from schema.migrate import drop_vector_indexes, make_vector_indexes


@dataclass(frozen=True)
class Status:
    """Which models there are vectors of.

    Attributes:
        active: The model in use; None in a store that nothing was ever written to.
        other: The one whose vectors are made, kept or deleted beside it.
        n_vectors: How many nodes have a vector in use.
        n_missing: How many of these have none of ``other``; 0 if there is no other.
    """

    active: StoredModel | None
    other: StoredModel | None
    n_vectors: int
    n_missing: int


@dataclass(frozen=True)
class ReembedReport:
    """What was done.

    Attributes:
        n_made: Vectors made or copied.
        n_deleted: Vectors deleted.
        switched: Whether another model or place came into use.
        status: Which models there are vectors of now.
        elapsed_s: How long it took.
    """

    n_made: int
    n_deleted: int
    switched: bool
    status: Status
    elapsed_s: float


async def status(database: Database) -> Status:
    """Return which models a store has vectors of, and how many are missing to the one that is not in use."""
    models = await stored_models(database)
    if models.active is None:
        return Status(None, models.other, 0, 0)
    sha256 = models.other.sha256 if models.other else models.active.sha256
    n, n_missing = await count_missing(database, models.active.slot, sha256)
    return Status(models.active, models.other, n, n_missing if models.other else 0)


async def reembed(
    database: Database,
    embedder: Embedder,
    *,
    pace: Pace | None = None,
    switch: bool = True,
    progress: Progress = silent,
) -> ReembedReport:
    """Make vectors of a model for all that has a vector in use, and take them into use when none is missing.

    What an earlier call has done is not done again, and nothing is done if the model is in use already. The vectors in
    use until then are kept, and taken back into use by calling this with their model.

    Args:
        database: A prepared store.
        embedder: The model.
        pace: How fast.
        switch: Whether to take the vectors into use.
        progress: Hears how many vectors there are.

    Raises:
        ReembedError: Another process is at it, or there are vectors of a third model, or some are still being deleted.
        EmbeddingError: The model made a vector that cannot be searched for.
        DatabaseError: Neo4j failed; the same call goes on from there.
    """
    start = time.perf_counter()
    async with model_lease(database):
        models = await stored_models(database)
        active = active_model(models)
        if active.is_of(embedder.card):
            return ReembedReport(0, 0, False, await status(database), time.perf_counter() - start)
        await _prepare_other(database, models, embedder.card)
        filling = Filling(database, active.slot, embedder.card, pace or Pace(), progress)
        texts = TextPass(filling, embedder)
        n_made = await filling.until_complete((texts.pass_over_texts, texts.pass_over_sections))
        if switch:
            while await _switch(database, active.slot, embedder.card):
                n_made += await filling.until_complete((texts.pass_over_texts, texts.pass_over_sections))
        return ReembedReport(n_made, 0, switch, await status(database), time.perf_counter() - start)


async def drop_old(database: Database, *, pace: Pace | None = None, progress: Progress = silent) -> ReembedReport:
    """Delete the vectors that are not in use, with their indexes, and leave those in use in the first place.

    Vectors in use in the second place are copied to the first one, taken into use there, and deleted from the second:
    afterwards the store is as if its papers had been ingested with this model.

    Raises:
        ReembedError: Another process is at it, or the store has no model.
        DatabaseError: Neo4j failed; the same call goes on from there.
    """
    start = time.perf_counter()
    pace = pace or Pace()
    n_made = n_deleted = 0
    switched = False
    async with model_lease(database):
        models = await stored_models(database)
        active = active_model(models)
        if models.other and not _is_coming_home(active, models.other):
            n_deleted += await _drop(database, active.slot, models.other, pace, progress)
        if active.slot is VectorSlot.SECOND:
            await _prepare_other(database, await stored_models(database), active.card)
            filling = Filling(database, active.slot, active.card, pace, progress)
            n_made = await filling.until_complete((filling.pass_over_copies,))
            while await _switch(database, active.slot, active.card):
                n_made += await filling.until_complete((filling.pass_over_copies,))
            switched = True
            models = await stored_models(database)
            if models.other:
                n_deleted += await _drop(database, VectorSlot.FIRST, models.other, pace, progress)
        return ReembedReport(n_made, n_deleted, switched, await status(database), time.perf_counter() - start)


def active_model(models: StoredModels) -> StoredModel:
    """Return the model in use.

    Raises:
        ReembedError: There is none yet.
    """
    if models.active is None:
        raise ReembedError(
            "the store has no vectors yet: set PAPERGRAPH_EMBEDDING_MODEL before the first papers come in"
        )
    return models.active


def _is_coming_home(active: StoredModel, other: StoredModel) -> bool:
    """Say whether vectors in use in the second place were being copied to the first one."""
    return active.slot is VectorSlot.SECOND and other.state is State.FILLING and other.is_of(active.card)


async def _prepare_other(database: Database, models: StoredModels, card: ModelCard) -> None:
    """Make the place that is not in use ready for a model's vectors, unless it is."""
    active, other = active_model(models), models.other
    if card.dimension > LARGEST_DIMENSION:
        raise ReembedError(
            f"{card.identity} is too long for Neo4j's index, which has {LARGEST_DIMENSION} dimensions at most"
        )
    if other and other.state is State.DROPPING:
        raise ReembedError(f"vectors of {other.identity} are still being deleted; first: papergraph embeddings prune")
    if other and not other.is_of(card):
        means = "kept" if other.state is State.KEPT else "not complete"
        raise ReembedError(
            f"there are vectors of {other.identity} beside those in use, {means}; go on with these (papergraph "
            f"embeddings {'rollback' if other.state is State.KEPT else f'switch {other.name}'}) or delete them "
            "(papergraph embeddings prune) first"
        )
    slot = active.slot.other
    if other is None:
        await drop_vector_indexes(database, slot)  # one that is there was made for a model that was never recorded
    await make_vector_indexes(database, slot, dimension=card.dimension)
    if other is None:
        await _record(database, active.slot, card, State.FILLING)


async def _record(database: Database, slot: VectorSlot, card: ModelCard, state: State) -> None:
    """Record what becomes of a model's vectors in the place beside ``slot``."""
    (recorded,) = await database.run_alone(
        cypher.load("reembed/record_model", slot),
        name=card.name,
        sha256=card.sha256,
        dimension=card.dimension,
        probes=card.probes,
        state=state,
    )
    if not recorded["n"]:
        raise _changed_meanwhile(card)


def _changed_meanwhile(card: ModelCard) -> ReembedError:
    """Return the error of a process that slept, or was cut off, for longer than its lease."""
    return ReembedError(
        f"another process changed the store's models meanwhile; papergraph embeddings status shows whether "
        f"{card.identity} is in use, and the same command again does the rest"
    )


async def _switch(database: Database, slot: VectorSlot, card: ModelCard) -> int:
    """Take a model's vectors into use unless some are missing; return how many are."""

    async def work(transaction: Transaction) -> int:
        await transaction.run(cypher.load("reembed/close_gates"))
        (found,) = await transaction.run(cypher.load("reembed/count_missing", slot), sha256=card.sha256)
        if found["n_missing"]:
            return int(found["n_missing"])
        if not await transaction.run(cypher.load("reembed/switch", slot), sha256=card.sha256):
            raise _changed_meanwhile(card)
        return 0

    try:
        return await database.transact("change the embedding model", work, deadline_s=SWITCH_DEADLINE_S)
    except UnknownOutcomeError:
        active = (await stored_models(database)).active
        if active and active.slot is not slot and active.is_of(card):
            return 0
        raise


async def _drop(database: Database, slot: VectorSlot, other: StoredModel, pace: Pace, progress: Progress) -> int:
    """Delete the vectors beside those in ``slot``, with indexes and model; return how many there were."""
    await _record(database, slot, other.card, State.DROPPING)
    progress.step(f"deleting the vectors of {other.identity}")
    await drop_vector_indexes(database, other.slot)  # else each deletion would be made in them too
    n_deleted = await pass_over_pages(database, cypher.load("reembed/delete_vectors", slot), pace)
    await database.run_alone(cypher.load("reembed/forget_model", slot))
    return n_deleted
