"""Papers that readers find relevant to a question, or not: what experiments with pipelines are decided by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

import cypher
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.records import Id, Record, described
from schema.ids import check_collection, check_id, judgement_id
from server.retrieval.request import MAX_QUERY_CHARS
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MOST_JUDGED = 10_000
"""Judgements of a reader that are kept."""

MOST_LISTED = 1000
"""Questions that an interface lists."""


@dataclass(frozen=True)
class JudgedPaper(Record):
    """Judgements of a paper for a question."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    n_relevant: Annotated[int, described("Number of readers who find it relevant.")]
    n_irrelevant: Annotated[int, described("Number of readers who find it irrelevant.")]
    mine: Annotated[bool | None, described("Judgement of the caller; true for relevant, null for none.")]


@dataclass(frozen=True)
class JudgedQuestion(Record):
    """Question with the papers that readers judged for it."""

    collection: Annotated[str, described("Collection of the papers.")]
    question: Annotated[str, described("The question.")]
    papers: Annotated[
        tuple[JudgedPaper, ...], described("The judged papers that are in the collection, in order of id.")
    ]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return what a record of the store holds."""
        papers = tuple(JudgedPaper(**one) for one in record["papers"])
        return cls(record["collection"], record["question"], papers)

    @property
    def relevant(self) -> list[str]:
        """Ids of the papers that more readers find relevant than irrelevant."""
        return [one.paper_id for one in self.papers if one.n_relevant > one.n_irrelevant]


async def judged_questions(
    database: Database,
    collection: str,
    *,
    question: str | None = None,
    rater: str = "",
    collections: AllowedCollections = None,
    most: int = MOST_LISTED,
) -> list[JudgedQuestion]:
    """Return judged questions of a collection, the one with the newest judgement first.

    Args:
        database: The store.
        collection: Where they were judged.
        question: Only this one; None for all.
        rater: Whose judgements are ``mine``.
        collections: The collections that the asker reaches; None for all.
        most: How many are returned at most.

    Raises:
        InputError: The collection has no valid name.
        UnknownCollectionError: The asker reaches no such collection.
        DatabaseError: Neo4j failed.
    """
    asked = await asked_of(database, collection, question, collections=collections)
    records = await database.read(cypher.load("judgements/list"), **asked, rater=rater, limit=most)
    return [JudgedQuestion.of(record) for record in records]


async def judge_paper(
    database: Database,
    paper_id: str,
    question: str,
    relevant: bool | None,
    *,
    rater: str,
    collections: AllowedCollections = None,
) -> JudgedQuestion:
    """Judge a paper for a question and return all judgements of the question; the last word of each reader counts.

    Args:
        database: The store.
        paper_id: Id of the paper.
        question: What is searched for, 1 to 4,000 characters.
        relevant: Whether the paper is relevant to it; None takes the judgement back.
        rater: Who judges: the id of a key, or an address.
        collections: The collections that the rater reaches; None for all.

    Raises:
        InputError: The question is empty or too long, or the id is none.
        NotFoundError: No paper that is reached has this id.
        ConflictError: The rater has :data:`MOST_JUDGED` judgements.
        DatabaseError: Neo4j failed.
    """
    question = checked_question(question)
    id = judgement_id(check_id(paper_id, field="id"), question, rater)
    listed = None if collections is None else list(collections)
    states = await database.read(
        cypher.load("judgements/paper"), id=paper_id, collections=listed, judgement=id, rater=rater
    )
    if not states:
        raise NotFoundError("paper", paper_id, field="id")
    (state,) = states
    if relevant is None:
        await database.run_alone(cypher.load("judgements/delete"), id=id)
    else:
        refuse_too_many(state["n_others"], field="relevant")
        await database.run_alone(
            cypher.load("judgements/write"), id=id, paper_id=paper_id, question=question, rater=rater, relevant=relevant
        )
    collection = state["collection"]
    found = await judged_questions(database, collection, question=question, rater=rater, collections=collections)
    return found[0] if found else JudgedQuestion(collection, question, ())


async def asked_of(
    database: Database, collection: str, question: str | None, *, collections: AllowedCollections
) -> dict[str, Any]:
    """Return which judgements or votes are listed, as parameters: of a collection, of one question or of all (None).

    Raises:
        InputError: The collection has no valid name.
        UnknownCollectionError: The asker reaches no such collection.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    await refuse_unknown_collection(database, within(collection, collections), asked=collection)
    return {"collection": collection, "question": None if question is None else question.strip()}


def refuse_too_many(n_others: int, *, field: str) -> None:
    """Refuse a judgement or a vote of a reader who has :data:`MOST_JUDGED` others.

    Raises:
        ConflictError: The reader has.
    """
    if n_others >= MOST_JUDGED:
        raise ConflictError(f"{MOST_JUDGED} judgements of yours are kept. Take others back first.", field=field)


def checked_question(question: str) -> str:
    """Return a question without blanks around it.

    Raises:
        InputError: It is empty or too long.
    """
    question = question.strip()
    if not 1 <= len(question) <= MAX_QUERY_CHARS:
        told = f"The question has {len(question)} characters; 1 to {MAX_QUERY_CHARS} are required."
        raise InputError(told, field="question")
    return question
