"""How much of what a collection's questions ask is asked more than once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import cypher
from ingest.enrichments.questions.diversity import log_determinant, mean_cosine
from ingest.enrichments.questions.duplicates import slot_of
from papergraph.batches import pages
from papergraph.database import Database
from schema.ids import check_collection

SAMPLE = 500
N_NEAREST = 10
ALL_COMPONENTS = 1_000_000


@dataclass(frozen=True)
class NearPair:
    """A question, the one of another paper that stands for it, and their cosine to three digits."""

    question: str
    other: str
    score: float


@dataclass(frozen=True)
class Redundancy:
    """How alike questions are.

    Attributes:
        collection: Whose questions.
        n_questions: How many there are.
        n_by_generator: How many of them each generator made.
        n_reviewed: How many were accepted or edited.
        n_duplicates: How many ask the same as one of another paper, as the last ``papergraph enrich`` found.
        mean_cosine: Over all pairs, in [-1, 1].
        log_determinant: Of the cosines of a sample, a share each: 0 where none resembles another, below if they do.
        n_sample: How many the sample has.
        nearest: The pairs of duplicates that are nearest, best first.
    """

    collection: str
    n_questions: int
    n_by_generator: dict[str, int]
    n_reviewed: int
    n_duplicates: int
    mean_cosine: float
    log_determinant: float
    n_sample: int
    nearest: tuple[NearPair, ...]

    @property
    def share(self) -> float:
        """Share of questions that repeat another one, in [0, 1]."""
        return self.n_duplicates / self.n_questions if self.n_questions else 0.0


async def redundancy(database: Database, collection: str, *, model: str) -> Redundancy:
    """Look all questions of a collection over; memory does not grow with them.

    Args:
        database: The store.
        collection: Whose questions.
        model: sha-256 of the embedding model whose vectors are in use.

    Raises:
        InputError: The collection has no valid name.
        ModelChangedError: The vectors in use are of another model.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    slot = await slot_of(database, model)
    counts = await database.read(cypher.load("enrichments/count_questions"), collection=collection)
    total, n = np.zeros(0), 0
    sample: list[NDArray[np.float64]] = []
    heads_of = cypher.load("enrichments/question_heads", slot)
    async for page in pages(database, heads_of, collection=collection, n_components=ALL_COMPONENTS):
        vectors = np.asarray([record["head"] for record in page], dtype=np.float64)
        total = vectors.sum(axis=0) + (total if n else 0.0)
        n += len(page)
        sample += list(vectors[: SAMPLE - len(sample)])  # ids are hashes, so the first ones are a random sample
    nearest = await database.read(cypher.load("enrichments/nearest_questions"), collection=collection, limit=N_NEAREST)
    return Redundancy(
        collection,
        n_questions=sum(record["n"] for record in counts),
        n_by_generator={record["generator"]: record["n"] for record in counts},
        n_reviewed=sum(record["n_reviewed"] for record in counts),
        n_duplicates=sum(record["n_duplicates"] for record in counts),
        mean_cosine=round(mean_cosine(total, n), 4),
        log_determinant=round(log_determinant(np.asarray(sample, dtype=np.float32)), 4) if sample else 0.0,
        n_sample=len(sample),
        nearest=tuple(NearPair(record["question"], record["other"], record["score"]) for record in nearest),
    )
