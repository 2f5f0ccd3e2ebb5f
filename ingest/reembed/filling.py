"""Filling the place of vectors that is not in use: passes over what has a vector there is none of yet."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import cypher
from ingest.chunkers import MASK_URLS, chunkers, embedded_text
from ingest.graph.rows import mean_direction, paper_text
from papergraph.batches import Row
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, ModelCard, check_vectors, encode_whole
from papergraph.errors import QueryError, ReembedError
from papergraph.progress import Progress
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema.ids import entity_key, mean_hash, text_hash

TEXTS_AT_ONCE, SECTIONS_AT_ONCE, VECTORS_AT_ONCE = 32, 32, 64
"""Rows of one transaction: texts that are embedded, sections, and vectors that are copied or deleted."""
DEADLINE_S, SWITCH_DEADLINE_S = 120.0, 180.0
BARREN_ROUNDS, BARREN_PAUSE_S = 5, 0.5
GONE = "Neo.ClientError.Statement.EntityNotFound"


@dataclass(frozen=True)
class Pace:
    """How much is done in a time, so that searches stay quick.

    Attributes:
        texts_per_s: Texts, or vectors to copy or delete, in a second at most; as many as ``share`` allows if None.
        share: Share of the time that is spent working, in (0, 1]; after each step it rests for the rest.
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
    """The place that is not in use on its way to a vector for each one in use."""

    def __init__(self, database: Database, slot: VectorSlot, card: ModelCard, pace: Pace, progress: Progress) -> None:
        self.database, self.slot, self.card, self.pace = database, slot, card, pace
        self._progress = progress
        self._n = self._n_done = 0

    async def until_complete(self, passes: Sequence[Callable[[], Awaitable[int]]]) -> int:
        """Make passes until no vector is missing; return how many were made.

        Raises:
            ReembedError: Some vectors stay missing however often it is tried.
        """
        n_made = n_barren = 0
        while True:
            self._n, n_missing = await count_missing(self.database, self.slot, self.card.sha256)
            self._n_done = self._n - n_missing
            self.tell(0)
            if not n_missing:
                return n_made
            n = sum([await one() for one in passes])
            n_made += n
            n_barren = 0 if n else n_barren + 1
            if n_barren == BARREN_ROUNDS:
                raise ReembedError(
                    f"{n_missing} vectors cannot be made: what they are made of is missing; see papergraph doctor"
                )
            if not n:
                await asyncio.sleep(BARREN_PAUSE_S)  # what was found was changed at the same time, or waits for a chunk

    async def pass_over_copies(self) -> int:
        """Copy what is missing once from the place in use; return how many vectors."""
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
        """Say that ``n`` more vectors are there."""
        self._n_done += n
        self._progress.advance("vectors", min(self._n_done, self._n), self._n)


class TextPass:
    """Passes over what is missing that make vectors with a model."""

    def __init__(self, filling: Filling, embedder: Embedder) -> None:
        self._filling, self._embedder = filling, embedder

    async def pass_over_texts(self) -> int:
        """Embed once each text whose vector is missing; return how many."""
        return await self._pass(cypher.load("reembed/missing_texts", self._filling.slot), TEXTS_AT_ONCE, self._of_texts)

    async def pass_over_sections(self) -> int:
        """Make once each section's missing vector of those of its chunks, where all of them are there."""
        return await self._pass(
            cypher.load("reembed/missing_sections", self._filling.slot), SECTIONS_AT_ONCE, self._of_sections
        )

    async def _pass(self, statement: Statement, limit: int, rows_of: Callable[[list[Row]], list[Row]]) -> int:
        filling = self._filling
        n_made, after = 0, ""
        while True:
            start = time.perf_counter()
            records = await filling.database.read(
                statement,
                deadline_s=DEADLINE_S,
                sha256=filling.card.sha256,
                after=after,
                limit=limit,
            )
            if not records:
                return n_made
            rows = await asyncio.to_thread(rows_of, [record.data() for record in records])
            n_made += await filling.write(rows) if rows else 0
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

    def _of_sections(self, records: list[Row]) -> list[Row]:
        rows = []
        for record in records:
            if not record["vectors"] or len(record["vectors"]) < len(record["parts"]):
                continue  # a chunk came in meanwhile
            vectors = [np.asarray(vector, dtype=np.float32) for vector in record["vectors"]]
            mean = mean_direction(vectors)
            if mean is None:  # they cancel out in this model, which they do not in the one in use: one stands for all
                mean = vectors[0]
            masked = MASK_URLS in record["cleaning"]
            texts = [embedded_text(context, text, masked=masked) for context, text in record["parts"]]
            rows.append(_row(record, mean_hash(self._filling.card.sha256, texts), mean))
        return rows


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
