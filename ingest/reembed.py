"""Another embedding model for a store: its vectors are filled in beside the old ones, then switched to."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from papergraph import cypher
from papergraph.batches import Row
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, ModelCard, check_vectors, encode_whole
from papergraph.errors import DatabaseError, QueryError, SchemaError, UnknownOutcomeError
from papergraph.ingest.chunkers import MASK_URLS, chunkers, embedded_text
from papergraph.ingest.graph.rows import paper_text
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.embedding_models import State, StoredModel, StoredModels, stored_models
from papergraph.schema.ids import entity_key, text_hash
from papergraph.schema.indexes import LARGEST_DIMENSION
from papergraph.schema.migrate import drop_vector_indexes, make_vector_indexes
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

# Filling of the inactive slot: passes over nodes that lack a vector in it


TEXTS_AT_ONCE, VECTORS_AT_ONCE = 32, 64
"""Rows of one transaction: texts that are embedded, and vectors that are copied or deleted."""
DEADLINE_S, SWITCH_DEADLINE_S = 120.0, 180.0
BARREN_ROUNDS, BARREN_PAUSE_S = 5, 0.5
GONE = "Neo.ClientError.Statement.EntityNotFound"


@dataclass(frozen=True)
class Pace:
    """Speed limit that keeps searches fast.

    Attributes:
        texts_per_s: Most texts, or vectors to copy or delete, per second; None for the limit of ``share``.
        share: Share of the time spent working, in (0, 1]; it pauses after each step.
    """

    texts_per_s: float | None = None
    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or (self.texts_per_s is not None and not self.texts_per_s > 0):
            raise ValueError(f"a pace needs 0 < share <= 1 and texts_per_s > 0, got {self}")

    def pause_s(self, n: int, worked_s: float) -> float:
        """Return how long to rest after ``n`` texts that took ``worked_s``."""
        rest_s = worked_s * (1 - self.share) / self.share
        return rest_s if self.texts_per_s is None else max(rest_s, n / self.texts_per_s - worked_s)


async def pass_over_pages(
    database: Database,
    statement: Statement,
    pace: Pace,
    told: Callable[[int], None] = lambda n: None,
    **parameters: str,
) -> int:
    """Run a statement page by page, each in a transaction of its own; return on how many nodes it did something."""
    done, after = 0, ""
    while True:
        start = time.perf_counter()
        (page,) = await database.run_alone(
            statement, deadline_s=DEADLINE_S, after=after, n_vectors=VECTORS_AT_ONCE, **parameters
        )
        if page["last"] is None:
            return done
        done, after = done + page["n"], page["last"]
        told(page["n"])
        await asyncio.sleep(pace.pause_s(page["n"], time.perf_counter() - start))


async def count_missing(database: Database, slot: VectorSlot, sha256: str) -> tuple[int, int]:
    (found,) = await database.read(cypher.load("reembed/count_missing", slot), deadline_s=DEADLINE_S, sha256=sha256)
    return found["n"], found["n_missing"]


class Filling:
    """Fills the unused vector slot until it has a vector for each one in the active slot."""

    def __init__(self, database: Database, slot: VectorSlot, card: ModelCard, pace: Pace, progress: Progress) -> None:
        self.database, self.slot, self.card, self.pace = database, slot, card, pace
        self._progress = progress
        self._n = self._n_done = 0

    async def until_complete(self, fill: Callable[[], Awaitable[int]]) -> int:
        """Repeat a pass until no vector is missing; return the number of new vectors.

        Raises:
            SchemaError: Several rounds in a row created no vector, and some are still missing.
        """
        n_made = n_barren = 0
        while True:
            self._n, n_missing = await count_missing(self.database, self.slot, self.card.sha256)
            self._n_done = self._n - n_missing
            self.tell(0)
            if not n_missing:
                return n_made
            n = await fill()
            n_made += n
            n_barren = 0 if n else n_barren + 1
            if n_barren == BARREN_ROUNDS:
                raise SchemaError(
                    f"{n_missing} vectors cannot be made: what they are made of is missing; see papergraph doctor"
                )
            if not n:
                await asyncio.sleep(BARREN_PAUSE_S)  # what was found was changed at the same time

    async def pass_over_copies(self) -> int:
        """Copy missing vectors from the active slot, in one pass; return their number."""
        return await pass_over_pages(
            self.database,
            cypher.load("reembed/copy_vectors", self.slot),
            self.pace,
            self.tell,
            sha256=self.card.sha256,
        )

    async def write(self, rows: Sequence[Row]) -> int:
        """Write vectors of nodes that are still what they were made of; return how many."""
        try:
            (written,) = await self.database.run_alone(
                cypher.load("reembed/write_vectors", self.slot),
                deadline_s=DEADLINE_S,
                sha256=self.card.sha256,
                rows=rows,
            )
        except QueryError as error:
            if error.status == GONE:  # a node was deleted while we waited for it; the next pass takes the others
                return 0
            raise
        self.tell(written["n"])
        return int(written["n"])

    def tell(self, n: int) -> None:
        """Report ``n`` further vectors."""
        self._n_done += n
        self._progress.advance("vectors", min(self._n_done, self._n), self._n)


class TextPass:
    """Pass over missing vectors that makes them with a model."""

    def __init__(self, filling: Filling, embedder: Embedder) -> None:
        self._filling, self._embedder = filling, embedder

    async def pass_over_texts(self) -> int:
        """Embed once each text whose vector is missing; return how many."""
        filling = self._filling
        statement = cypher.load("reembed/missing_texts", filling.slot)
        n_made, after = 0, ""
        while True:
            start = time.perf_counter()
            records = await filling.database.read(
                statement,
                deadline_s=DEADLINE_S,
                sha256=filling.card.sha256,
                after=after,
                limit=TEXTS_AT_ONCE,
            )
            if not records:
                return n_made
            rows = await asyncio.to_thread(self._of_texts, [record.data() for record in records])
            n_made += await filling.write(rows)
            after = records[-1]["id"]
            await asyncio.sleep(filling.pace.pause_s(len(rows), time.perf_counter() - start))

    def _of_texts(self, records: list[Row]) -> list[Row]:
        card = self._filling.card
        rows = []
        for encode, alike in self._by_way_of_reading(records):
            texts = [_embedded(record["label"], *record["parts"], cleaning=record["cleaning"]) for record in alike]
            vectors = check_vectors(list(encode(texts)), dimension=card.dimension)
            rows += [
                _row(record, text_hash(card.sha256, text), vector)
                for record, text, vector in zip(alike, texts, vectors, strict=True)
            ]
        return rows

    def _by_way_of_reading(self, records: list[Row]) -> Iterator[tuple[Callable[[Sequence[str]], Floats], list[Row]]]:
        """Yield the records whose texts are read whole however long they are, and the others, as their chunkers say."""
        read_whole = [name for name, method in chunkers().items() if method.read_whole]
        whole = [record for record in records if record["chunker"] in read_whole]
        others = [record for record in records if record["chunker"] not in read_whole]
        if whole:
            yield partial(encode_whole, self._embedder), whole
        if others:
            yield self._embedder.encode_documents, others


def _embedded(label: str, before: str | None, text: str | None, *, cleaning: Sequence[str]) -> str:
    """Return the text that a node's vector is made of."""
    match label:
        case "Paper":
            return paper_text(before or "", text or "")
        case "Chunk":
            return embedded_text(before or "", text or "", masked=MASK_URLS in cleaning)
        case "Entity":
            return entity_key(text or "")  # so that its vector does not depend on which of its spellings is its name
        case _:
            return text or ""


def _row(record: Row, hash: str, vector: Floats) -> Row:
    seen = {name: record[name] for name in ("node", "id", "seen")}
    return {**seen, "hash": hash, "vector": vector.tolist()}


# The lease of the one process that changes the vectors in use, or the indexes over them


LEASE_S, LEASE_RENEWED_S, LEASE_POLL_S, LEASE_WAIT_S = 6, 1.5, 0.25, 15.0


@asynccontextmanager
async def model_lease(database: Database) -> AsyncIterator[None]:
    """Be the one process that changes models or builds indexes again; the right of one that died ends after seconds.

    Raises:
        SchemaError: Another process is at it.
    """
    owner = uuid.uuid4().hex
    take = cypher.load("reembed/take_lease")

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_RENEWED_S)
            with suppress(DatabaseError):  # two processes at once would do no harm, only the same work twice
                await database.run_alone(take, owner=owner, lease_s=LEASE_S)

    deadline = time.monotonic() + LEASE_WAIT_S
    while not (await database.run_alone(take, owner=owner, lease_s=LEASE_S))[0]["mine"]:
        if time.monotonic() > deadline:
            raise SchemaError(
                "another papergraph embeddings switch or fulltext switch works on this store; wait for its end"
            )
        await asyncio.sleep(LEASE_POLL_S)
    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        with suppress(DatabaseError):  # it ends by itself
            await database.run_alone(cypher.load("reembed/release_lease"), owner=owner)


# Vectors of another embedding model beside those in use, and the change to them in one step; searches continue
# meanwhile.
#
# The new vectors are stored in the other of two slots (:mod:`papergraph.vector_slots`), with indexes of their own. What
# has a vector in use needs one there; what is written meanwhile loses the one it had there, so it is missing again and
# is caught up. The change happens in the transaction that finds nothing missing, with all writers waiting outside.
# Everything is done in small transactions that can be repeated: a call that is killed is resumed by making it again.


@dataclass(frozen=True)
class Status:
    """Models of the stored vectors.

    Attributes:
        active: Model in use; None in an unused store.
        other: Model whose vectors are being created, kept or deleted.
        n_vectors: Number of nodes with an active vector.
        n_missing: Number of those without a vector of ``other``; 0 without another model.
    """

    active: StoredModel | None
    other: StoredModel | None
    n_vectors: int
    n_missing: int


@dataclass(frozen=True)
class ReembedReport:
    """Result of a change of models.

    Attributes:
        n_made: Vectors created or copied.
        n_deleted: Vectors deleted.
        switched: True if another model or slot became active.
        status: Models of the stored vectors.
        elapsed_s: Duration in seconds.
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
    """Create vectors of a model for all nodes with an active vector, and activate them when they are complete.

    A repeated call continues, and does nothing if the model is active. The previous vectors are kept; a call with their
    model activates them again.

    Args:
        database: A prepared store.
        embedder: The model.
        pace: Speed limit.
        switch: True to activate the vectors.
        progress: Receives the number of vectors.

    Raises:
        SchemaError: Another process is changing models, or vectors of a third model exist or are being deleted.
        EmbeddingError: The model returned an unusable vector.
        DatabaseError: Neo4j failed; the same call continues from there.
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
        n_made = await filling.until_complete(texts.pass_over_texts)
        if switch:
            while await _switch(database, active.slot, embedder.card):
                n_made += await filling.until_complete(texts.pass_over_texts)
        return ReembedReport(n_made, 0, switch, await status(database), time.perf_counter() - start)


async def drop_old(database: Database, *, pace: Pace | None = None, progress: Progress = silent) -> ReembedReport:
    """Delete inactive vectors with their indexes, and move the active ones to the first slot.

    Active vectors in the second slot are copied to the first, activated there, and deleted from the second. Afterwards
    the store equals one whose papers were ingested with this model.

    Raises:
        SchemaError: Another process is changing models, or the store has no model.
        DatabaseError: Neo4j failed; the same call continues from there.
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
            n_made = await filling.until_complete(filling.pass_over_copies)
            while await _switch(database, active.slot, active.card):
                n_made += await filling.until_complete(filling.pass_over_copies)
            switched = True
            models = await stored_models(database)
            if models.other:
                n_deleted += await _drop(database, VectorSlot.FIRST, models.other, pace, progress)
        return ReembedReport(n_made, n_deleted, switched, await status(database), time.perf_counter() - start)


def active_model(models: StoredModels) -> StoredModel:
    """Return the model in use.

    Raises:
        SchemaError: The store has no model yet.
    """
    if models.active is None:
        raise SchemaError(
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
        raise SchemaError(
            f"{card.identity} is too long for Neo4j's index, which has {LARGEST_DIMENSION} dimensions at most"
        )
    if other and other.state is State.DROPPING:
        raise SchemaError(f"vectors of {other.identity} are still being deleted; first: papergraph embeddings prune")
    if other and not other.is_of(card):
        resources = "kept" if other.state is State.KEPT else "not complete"
        raise SchemaError(
            f"there are vectors of {other.identity} beside those in use, {resources}; go on with these (papergraph "
            f"embeddings {'rollback' if other.state is State.KEPT else f'switch {other.name}'}) or delete them "
            "(papergraph embeddings prune) first"
        )
    slot = active.slot.other
    if other is None:
        await drop_vector_indexes(database, slot)  # an existing one is of a model that was never recorded
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


def _changed_meanwhile(card: ModelCard) -> SchemaError:
    """Return the error of a process that slept, or was cut off, for longer than its lease."""
    return SchemaError(
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
