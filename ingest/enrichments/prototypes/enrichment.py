"""Prototypes: centroids of the vectors of questions, or of chunks; an inverted index.

A query is compared with the prototypes first, then with the vectors assigned to the nearest of them. Prototypes are
trained by k-means over a sample; new vectors are assigned to the nearest prototype. They are trained again when the set
has changed by a given share, or its vectors are of another model. They are an index: like HNSW they may depend on the
order of arrival, so the graph's checksum excludes them.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np

from papergraph import cypher
from papergraph.batches import DEADLINE_S, Row, batches, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions.duplicates import slot_of
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.ids import prototype_id, sha256
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

VERSION = "1"
MOST_TRAINED = 50_000
MOST_ROUNDS = 25
PROTOTYPES_PER_TRANSACTION = 50


class Kind(StrEnum):
    """Kind of vectors that prototypes index."""

    QUESTION = "question"
    CHUNK = "chunk"


@dataclass(frozen=True)
class Prototypes:
    """Prototypes of all questions and of all chunks of a collection.

    Attributes:
        factor: Number of prototypes in square roots of the number n of vectors; above 0, at most 100.
        most_change: Relative change of n, above 0, from which they are trained again.
        seed: Of k-means.
    """

    factor: float = 2.0
    most_change: float = 0.25
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if not 0.0 < self.factor <= 100.0:
            raise InputError(f"factor must be above 0 and at most 100, got {self.factor:g}", field="factor")
        if not self.most_change > 0.0:
            raise InputError(f"most_change must be above 0, got {self.most_change:g}", field="most_change")

    @property
    def name(self) -> str:
        """``prototypes``."""
        return "prototypes"

    @property
    def config_hash(self) -> str:
        """sha-256 hex over the options and the version of this code."""
        return sha256(self.name, VERSION, *(f"{one.name}={getattr(self, one.name)}" for one in fields(self)))

    def number(self, n: int) -> int:
        """Return how many prototypes ``n`` vectors have: at least 1, at most ``n``."""
        return max(1, min(n, round(self.factor * math.sqrt(n))))

    async def finish(
        self, database: Database, collection: str, means: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Update the prototypes of questions and of chunks.

        Returns:
            For each kind the number of prototypes, the number of newly assigned vectors, and 1 if they were trained
            again, else 0: ``question_prototypes``, ``question_assigned``, ``question_trained``, ``chunk_…``.

        Raises:
            ModelChangedError: The vectors in use are of another model.
            DatabaseError: Neo4j failed; the next call continues.
        """
        model = means.embedder.card.sha256
        slot = await slot_of(database, model)
        counts = cypher.load("enrichments/count_grouped", slot)
        (record,) = await database.read(counts, collection=collection, deadline_s=DEADLINE_S)
        found: dict[str, int | float] = {}
        for kind, n in ((Kind.QUESTION, record["n_questions"]), (Kind.CHUNK, record["n_chunks"])):
            one = _OfKind(self, database, collection, kind, slot, model)
            n_prototypes, n_assigned, trained = await one.bring_up_to_date(n, progress)
            found |= {f"{kind}_prototypes": n_prototypes, f"{kind}_assigned": n_assigned, f"{kind}_trained": trained}
        return found


def spherical_k_means(vectors: Floats, *, k: int, seed: int) -> Floats:
    """Return ``k`` directions, shape (k, d), each of length 1, around which the vectors lie.

    Args:
        vectors: Shape (n, d), each of length 1; n at least ``k``.
        k: How many, at least 1.
        seed: Of the choice of the first ones.

    Source: Lloyd's algorithm begun by k-means++ (Arthur and Vassilvitskii 2007), by scikit-learn; its means are brought
    to length 1, the concept vectors of Dhillon and Modha 2001, doi:10.1023/A:1007612920971.
    """
    from sklearn.cluster import KMeans

    means = KMeans(k, init="k-means++", n_init=1, max_iter=MOST_ROUNDS, random_state=seed).fit(vectors).cluster_centers_
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    return np.asarray(means / np.maximum(lengths, 1e-9), dtype=np.float32)


@dataclass(frozen=True)
class _OfKind:
    """The prototypes of one kind."""

    options: Prototypes
    database: Database
    collection: str
    kind: Kind
    slot: VectorSlot
    model: str

    async def bring_up_to_date(self, n: int, progress: Progress) -> tuple[int, int, int]:
        """Return the numbers of prototypes and of newly assigned vectors, and 1 if prototypes were trained again."""
        stored = await self.database.read(
            cypher.load("enrichments/prototypes"),
            collection=self.collection,
            kind=self.kind.value,
            deadline_s=DEADLINE_S,
        )
        training_config_hash = sha256("prototypes", self.options.config_hash, self.model)
        n_trained = stored[0]["n_trained"] if stored else 0
        fit = (
            bool(stored)
            and {record["training_config_hash"] for record in stored} == {training_config_hash}
            and len(stored) == self.options.number(n_trained)  # a call that was killed left fewer
            and abs(n - n_trained) <= self.options.most_change * n_trained
        )
        if fit:
            ids = [record["id"] for record in stored]
            centroids = np.asarray([record["centroid"] for record in stored], dtype=np.float32)
            return len(ids), await self._assign(ids, centroids), 0
        await self._delete([record["id"] for record in stored])
        if n == 0:
            return 0, 0, 0
        progress.step(f"making prototypes of {n} {self.kind}s")
        sample = await self._sample(n)
        if len(sample) == 0:
            return 0, 0, 0
        k = self.options.number(n)
        centroids = await asyncio.to_thread(spherical_k_means, sample, k=min(k, len(sample)), seed=self.options.seed)
        ids = [prototype_id(self.collection, self.kind, number) for number in range(len(centroids))]
        await self._run(
            cypher.load("enrichments/write_prototypes"),
            [
                {
                    "id": id,
                    "collection": self.collection,
                    "kind": self.kind.value,
                    "ordinal": number,
                    "centroid": centroid.tolist(),
                    "model": self.model,
                    "trainingConfigHash": training_config_hash,
                    "nTrained": n,
                }
                for number, (id, centroid) in enumerate(zip(ids, centroids, strict=True))
            ],
        )
        return len(ids), await self._assign(ids, centroids), 1

    async def _sample(self, n: int) -> Floats:
        """Return vectors at even distances in the order of ids, which are hashes; all where there are not too many."""
        step = -(-n // MOST_TRAINED)
        taken: list[Floats] = []
        n_seen = 0
        every = (
            cypher.load("enrichments/questions_to_group", self.slot)
            if self.kind is Kind.QUESTION
            else cypher.load("enrichments/chunks_to_group", self.slot)
        )
        async for page in pages(self.database, every, collection=self.collection):
            chosen = page[(-n_seen) % step :: step]
            taken += [np.asarray(record["embedding"], dtype=np.float32) for record in chosen]
            n_seen += len(page)
        return np.stack(taken) if taken else np.zeros((0, 1), dtype=np.float32)

    async def _assign(self, ids: Sequence[str], centroids: Floats) -> int:
        """Assign the unassigned vectors to the nearest prototype; return their number."""
        n = 0
        left = (
            cypher.load("enrichments/questions_without_prototype", self.slot)
            if self.kind is Kind.QUESTION
            else cypher.load("enrichments/chunks_without_prototype", self.slot)
        )
        async for page in pages(self.database, left, collection=self.collection):
            vectors = np.asarray([record["embedding"] for record in page], dtype=np.float32)
            nearest = (vectors @ centroids.T).argmax(axis=1)
            rows = [{"id": record["id"], "prototype": ids[at]} for record, at in zip(page, nearest, strict=True)]
            await self._run(cypher.load("enrichments/assign_prototypes"), rows)
            n += len(rows)
        return n

    async def _delete(self, ids: Sequence[str]) -> None:
        for batch in batches(ids, PROTOTYPES_PER_TRANSACTION):

            async def work(transaction: Transaction, batch: Sequence[str] = batch) -> None:
                await transaction.run(cypher.load("enrichments/delete_prototypes"), ids=list(batch))

            await self.database.transact_until_known("delete prototypes", work, deadline_s=DEADLINE_S)

    async def _run(self, statement: Statement, rows: Sequence[Row]) -> None:
        """Run a statement over rows in one transaction; it can be done again."""

        async def work(transaction: Transaction) -> None:
            for batch in batches(rows):
                await transaction.run(statement, rows=list(batch))

        await self.database.transact_until_known(statement.name, work, deadline_s=DEADLINE_S)
