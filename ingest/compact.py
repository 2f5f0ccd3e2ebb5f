"""Vector and full-text indexes built again, one after the other, while the others answer: ``papergraph db compact``.

Each transaction of an ingestion adds a segment to Lucene's indexes, which Neo4j merges some at a time. What is indexed
stands in the graph, so that nothing is lost whatever happens. A search that asks an index meanwhile does without it and
says so (:mod:`server.retrieval.steps.search`).

The names of the indexes that are still to be built stand in the graph. A call that was killed is completed by the next
one, and processes that start in between do not take an index that is being built for damage.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cypher
from ingest.reembed.lease import model_lease
from papergraph.database import Database
from papergraph.errors import ConflictError, DeadlineError, SchemaDriftError
from papergraph.local_neo4j import IndexFiles
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.vector_slots import VectorSlot
from schema import indexes, migrate
from schema.embedding_models import State, stored_models
from schema.model import QUANTIZATIONS

MOST_SEGMENTS = 200
"""Segments of an index that is left as it is: more than Neo4j leaves, so that building it again leaves fewer.

Of one size, Neo4j leaves up to 49 segments when papers are brought in, and up to 99 when it builds a vector index.
"""

WRITERS_DEADLINE_S = 180.0
"""How long to wait for transactions that bring in papers."""

POLL_S = 0.5

Record = Mapping[str, Any]
Files = Callable[[], Mapping[int, IndexFiles]]
"""Returns the files of indexes by their ids."""


@dataclass(frozen=True)
class CompactedIndex:
    """An index that was built again.

    Attributes:
        name: Its name.
        segments_before, segments_after: Lucene's segments; None where the files are not on this machine.
        bytes_before, bytes_after: Size of its files; None likewise.
        elapsed_s: How long it took.
    """

    name: str
    segments_before: int | None
    segments_after: int | None
    bytes_before: int | None
    bytes_after: int | None
    elapsed_s: float


@dataclass(frozen=True)
class CompactReport:
    """What was done.

    Attributes:
        quantization: Quantisation of the vector indexes.
        indexes: The indexes that were built again; none where it was not needed.
        n_left: Indexes that were left as they are.
        elapsed_s: How long it took.
    """

    quantization: str
    indexes: tuple[CompactedIndex, ...]
    n_left: int
    elapsed_s: float


async def compact(
    database: Database,
    *,
    files: Files | None = None,
    quantization: str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> CompactReport:
    """Build again those vector and full-text indexes that need it: with many segments, missing, or with other options.

    Args:
        database: A prepared store.
        files: The files of its indexes; where they are not known, every index is built again.
        quantization: That of the vector indexes from now on; None to leave it.
        force: Whether to build every index again.
        progress: Hears which index is built, and how much of it is.

    Raises:
        ReembedError: Another process changes the vectors in use, or builds indexes again.
        ConflictError: Papers were brought in all the time, or an index was dropped while it was built; what was built
            stays.
        SchemaDriftError: Neo4j could not build an index.
        DatabaseError: Neo4j failed; the same call goes on from there.
    """
    if quantization is not None and quantization not in QUANTIZATIONS:
        raise ValueError(f"no quantization {quantization}: one of {', '.join(QUANTIZATIONS)}")
    start = time.perf_counter()
    async with model_lease(database):
        models = await stored_models(database)
        dimensions = {one.slot: one.dimension for one in models if one.state is not State.DROPPING}
        chosen = quantization or await indexes.quantization_of(database)
        work = Compaction(database, dimensions, chosen, files, progress)
        waiting = await work.needed(force=force)
        n_left = len(await work.definitions()) - len(waiting)
        await work.note(waiting)  # first: an index that is not as it was chosen is taken for damage unless it waits
        if quantization is not None:
            await database.run_alone(cypher.load("schema/choose_quantization"), quantization=quantization)
        built = []
        while waiting:
            built.append(await work.build(waiting[0]))
            waiting = waiting[1:]
            await work.note(waiting)
        return CompactReport(chosen, tuple(built), n_left, time.perf_counter() - start)


class Compaction:
    """The indexes of a store on their way to being built again."""

    def __init__(
        self,
        database: Database,
        dimensions: Mapping[VectorSlot, int],
        quantization: str,
        files: Files | None,
        progress: Progress,
    ) -> None:
        self._database, self._dimensions, self._quantization = database, dimensions, quantization
        self._files, self._progress = files, progress

    async def definitions(self) -> dict[str, indexes.Index]:
        """Return the definitions of the full-text and vector indexes by name, with the store's present analyzer."""
        found = indexes.expected_indexes(
            self._dimensions, analyzer=await migrate.analyzer_of(self._database), quantization=self._quantization
        )
        return {name: index for name, index in found.items() if index.type != "RANGE"}

    async def needed(self, *, force: bool) -> tuple[str, ...]:
        """Return the names of the indexes to build again, small ones first."""
        expected = await self.definitions()
        if force or self._files is None:
            return tuple(expected)
        interrupted, found = await indexes.waiting_indexes(self._database), await self._indexes()
        files = self._files()

        def is_needed(name: str) -> bool:
            if name in interrupted or indexes.differences(expected[name], found.get(name)):
                return True
            known = files.get(found[name]["id"])
            return known is not None and known.n_segments > MOST_SEGMENTS

        return tuple(filter(is_needed, expected))

    async def note(self, waiting: tuple[str, ...]) -> None:
        """Note in the graph which indexes are still to be built."""
        await self._database.run_alone(cypher.load("schema/note_compaction"), waiting=list(waiting))

    async def build(self, name: str) -> CompactedIndex:
        """Drop an index, make it again, and wait until it is complete.

        Raises:
            ConflictError: Papers were brought in all the time, or another process dropped it.
            SchemaDriftError: Neo4j could not build it.
            DatabaseError: Neo4j failed.
        """
        start = time.perf_counter()
        before = await self._files_of(name)
        self._progress.step(f"building the index {name} again; searches do without it until then")
        await self._make(name)
        while (index := await self._made(name))["state"] == "POPULATING":
            self._progress.advance(f"percent of {name}", int(index["percent"]), 100)
            await asyncio.sleep(POLL_S)
        if index["state"] != "ONLINE":
            raise SchemaDriftError((f"index {name} is {index['state']}: {index['failure']}",))
        self._progress.advance(f"percent of {name}", 100, 100)
        after = await self._files_of(name)
        return CompactedIndex(
            name,
            before.n_segments if before else None,
            after.n_segments if after else None,
            before.n_bytes if before else None,
            after.n_bytes if after else None,
            time.perf_counter() - start,
        )

    async def _make(self, name: str) -> None:
        """Exchange an index for an empty one, while no transaction brings in papers (decision 0019)."""
        database, are_closed = self._database, False

        async def work(transaction: Transaction) -> None:
            nonlocal are_closed
            are_closed = False
            await transaction.run(cypher.load("reembed/close_gates"))
            are_closed = True
            index = (await self.definitions())[name]
            await database.run_alone(cypher.load("schema/drop_index"), deadline_s=migrate.DDL_DEADLINE_S, name=name)
            await index.create(database, deadline_s=migrate.DDL_DEADLINE_S)

        try:
            await database.transact_until_known(f"build {name} again", work, deadline_s=WRITERS_DEADLINE_S)
        except DeadlineError as error:
            if are_closed:
                raise
            raise ConflictError(
                f"papers were written for {WRITERS_DEADLINE_S:g} s without a pause, and the index {name} was not built "
                "again; run papergraph db compact when the ingestion has ended",
                field="store",
            ) from error

    async def _made(self, name: str) -> Record:
        if (found := (await self._indexes()).get(name)) is None:
            raise ConflictError(
                f"the index {name} was dropped while it was built; run papergraph db compact again", field="store"
            )
        return found

    async def _indexes(self) -> dict[str, Record]:
        found = await self._database.read(cypher.load("schema/indexes"))
        return {record["name"]: record.data() for record in found}

    async def _files_of(self, name: str) -> IndexFiles | None:
        found = (await self._indexes()).get(name)
        return None if self._files is None or found is None else self._files().get(found["id"])
