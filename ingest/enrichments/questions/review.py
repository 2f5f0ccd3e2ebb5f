"""Review of questions by people, and how much of them is asked more than once."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from neo4j import Record as DriverRecord
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import DEADLINE_S, batches, pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError, ModelChangedError, NotFoundError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions.candidates import (
    LONGEST,
    log_determinant,
    mean_cosine,
    one_line,
    same_text,
)
from papergraph.ingest.enrichments.questions.duplicates import slot_of
from papergraph.ingest.enrichments.state import forget_enrichments
from papergraph.ingest.graph.writer import hold_model
from papergraph.neo4j_errors import Transaction
from papergraph.records import Id, Record, described
from papergraph.schema.ids import check_collection, check_id, normalise, question_id, review_id
from papergraph.vector_slots import VectorSlot

# Manual decisions on questions: accept, edit or reject. They survive a new enrichment run.
#
# A decision is about the question as it was made, in whatever paper of the collection: a rejected one goes and is
# never made again there, an edited one stands with its new text and vector, under the id that the new text has.


MOST_SHOWN = 1000


class Decision(StrEnum):
    """Decision about a question."""

    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True)
class StoredQuestion:
    """Stored question.

    Attributes:
        id: Its id.
        text: The question.
        answer: Its answer, or None.
        generator: Its origin: model, written, template or extractive.
        model: Name of the language model, for the generator ``model``.
        review: accepted or edited; None without a review.
        original: Text before it was edited.
        paper_id: Id of the paper.
        paper: Title of the paper.
        chunk_ids: Chunks that answer it.
        spans_paper: True for a question about the whole paper.
        duplicate_of: Id of the equivalent question of another paper that represents it.
        metadata: Metadata in the question, each as ``field: value``.
        group_id: Id of its group of papers; None for a question of one paper.
    """

    id: str
    text: str
    answer: str | None
    generator: str
    model: str | None
    review: str | None
    original: str | None
    paper_id: str
    paper: str
    chunk_ids: tuple[str, ...]
    spans_paper: bool
    duplicate_of: str | None
    metadata: tuple[str, ...]
    group_id: str | None


@dataclass(frozen=True)
class ReviewedQuestion(Record):
    """Effect of a decision."""

    decision: Annotated[Decision, described("The decision.")]
    original: Annotated[str, described("Original text of the question.")]
    text: Annotated[str | None, described("Edited text, if any.")]
    ids: Annotated[tuple[Id, ...], described("Ids of the question in the collection, or of the deleted ones.")]


async def list_questions(
    database: Database,
    collection: str,
    *,
    paper_id: str | None = None,
    generator: str | None = None,
    review: str | None = None,
    after: str = "",
    limit: int = 20,
) -> list[StoredQuestion]:
    """Return questions of a collection in the order of ids.

    Args:
        database: The store.
        collection: Name of the collection.
        paper_id: Filter by paper.
        generator: Filter by origin: model, written, template or extractive.
        review: Filter by review: accepted, edited, or none.
        after: Id of the last question of the previous page.
        limit: Most questions, 1 to 1000.

    Raises:
        InputError: An argument is out of its range.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    if not 1 <= limit <= MOST_SHOWN:
        raise InputError(f"limit is {limit}. Set it to 1 to {MOST_SHOWN}.", field="limit")
    if paper_id is not None:
        check_id(paper_id, field="paper")
    records = await database.read(
        cypher.load("enrichments/list_questions"),
        collection=collection,
        paper_id=paper_id,
        generator=generator,
        review=review,
        after=after,
        limit=limit,
    )
    return [_stored(record) for record in records]


async def find_question(database: Database, collection: str, id: str) -> StoredQuestion:
    """Return a question of a collection.

    Raises:
        InputError: The id has not the form of one.
        NotFoundError: There is no such question.
    """
    check_collection(collection)
    records = await database.read(
        cypher.load("enrichments/find_question"), collection=collection, id=check_id(id, field="question")
    )
    if not records:
        raise NotFoundError("question", id, field="question")
    return _stored(records[0])


async def review(
    database: Database,
    resources: EnrichmentContext,
    collection: str,
    id: str,
    decision: Decision,
    text: str | None = None,
) -> ReviewedQuestion:
    """Store a decision on a question and all equal questions of the collection; it replaces an earlier decision.

    Repeated questions and prototypes are updated by the next ``papergraph enrich``.

    Args:
        database: A prepared store.
        resources: Resources; only the embedder is used, for an edited question.
        collection: Collection of the question.
        id: Id of the question.
        decision: Accepted, edited or rejected.
        text: New text of an edited question.

    Raises:
        InputError: The text is missing, too long, unchanged, or that of a stored question.
        NotFoundError: The id is unknown.
        ModelChangedError: The vectors in use are of another model; nothing was written.
        DatabaseError: Neo4j failed; the whole decision was written, or nothing.
    """
    question = await find_question(database, collection, id)
    original = question.original or question.text
    new = _new_text(question, text) if decision is Decision.EDITED else None
    same = [
        record
        async for page in pages(database, cypher.load("enrichments/question_texts"), collection=collection)
        for record in page
        if same_text(record["original"] or record["text"], original)
    ]
    ids = [record["id"] for record in same]
    if decision is Decision.ACCEPTED and question.review == Decision.EDITED:
        return ReviewedQuestion(decision, original, question.text, tuple(ids))  # accepted already, as it was edited
    rows: list[dict[str, Any]] = []
    if new is not None:
        rows = [{"id": record["id"], "new_id": question_id(record["paper_id"], new)} for record in same]
        await _refuse_standing(database, [row["new_id"] for row in rows if row["new_id"] != row["id"]])
    vectors = await resources.embed([new] if new else [])

    async def work(transaction: Transaction) -> None:
        active = await hold_model(transaction)
        if active.sha256 != resources.embedder.card.sha256:
            raise ModelChangedError(active=active.identity)
        await _write_decision(transaction, collection, original, decision, new)
        await _change(transaction, ids, decision)
        if new is not None:
            properties = {"text": new, "original": original, "review": decision.value}
            properties |= resources.vector_properties(new, active.slot)
            await _edit(transaction, rows, properties, vectors[new], active.slot)
        await forget_enrichments(transaction, collection, ("questions", "prototypes"))

    await database.transact_until_known(f"review {id}", work, deadline_s=DEADLINE_S)
    return ReviewedQuestion(decision, original, new, tuple(row["new_id"] for row in rows) if rows else tuple(ids))


async def _change(transaction: Transaction, ids: Sequence[str], decision: Decision) -> None:
    """Delete rejected questions, and mark accepted ones; edited ones are written elsewhere."""
    for batch in batches(ids):
        if decision is Decision.REJECTED:
            await transaction.run(cypher.load("enrichments/delete_questions"), ids=list(batch))
        elif decision is Decision.ACCEPTED:
            await transaction.run(cypher.load("enrichments/accept_questions"), ids=list(batch))


def _stored(record: DriverRecord) -> StoredQuestion:
    lists = {name: tuple(record[name]) for name in ("chunk_ids", "metadata")}
    return StoredQuestion(**record.data() | lists)


async def _write_decision(
    transaction: Transaction, collection: str, original: str, decision: Decision, text: str | None
) -> None:
    await transaction.run(
        cypher.load("enrichments/write_review"),
        id=review_id(collection, "question", [original]),
        collection=collection,
        kind="question",
        about=[original],
        decision=decision.value,
        text=text,
    )


async def _edit(
    transaction: Transaction,
    rows: Sequence[dict[str, Any]],
    properties: dict[str, Any],
    vector: Floats,
    slot: VectorSlot,
) -> None:
    for batch in batches(rows):
        await transaction.run(
            cypher.load("enrichments/edit_questions", slot),
            rows=[row | {"properties": properties | {"id": row["new_id"]}} for row in batch],
            vector=vector.tolist(),
        )


def _new_text(question: StoredQuestion, text: str | None) -> str:
    new = one_line(text or "")
    if not new:
        raise InputError("The edited question has no text. Give its new text.", field="text")
    if len(new) > LONGEST:
        raise InputError(f"The question has {len(new)} characters. At most {LONGEST} are allowed.", field="text")
    if new == question.text or normalise(new) == normalise(question.original or question.text):
        raise InputError(
            "The new text equals the stored question. Give another text, or accept or reject the question.",
            field="text",
        )
    return new


async def _refuse_standing(database: Database, ids: Sequence[str]) -> None:
    for batch in batches(ids):
        records = await database.read(cypher.load("enrichments/question_exists"), ids=list(batch))
        if records:
            raise InputError(
                f"The same question is stored as {records[0]['id']}. Reject this one instead.", field="text"
            )


# Redundancy of a collection's questions


SAMPLE = 500
N_NEAREST = 10
ALL_COMPONENTS = 1_000_000


@dataclass(frozen=True)
class NearPair:
    """Question, the equivalent one of another paper that represents it, and their cosine to three digits."""

    question: str
    other: str
    score: float


@dataclass(frozen=True)
class Redundancy:
    """Redundancy of questions.

    Attributes:
        collection: Name of the collection.
        n_questions: Number of questions.
        n_by_generator: Number of questions by generator.
        n_reviewed: Number of accepted and edited questions.
        n_duplicates: Number of duplicates of a question of another paper, from the last ``papergraph enrich``.
        mean_cosine: Over all pairs, in [-1, 1].
        log_determinant: Log-determinant of the cosines of a sample, divided by its size: 0 if all are orthogonal,
            negative if some are similar.
        n_sample: Size of the sample.
        nearest: Most similar pairs of duplicates, best first.
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
        collection: Name of the collection.
        model: sha-256 of the embedding model whose vectors are in use.

    Raises:
        InputError: The collection's name is invalid.
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
