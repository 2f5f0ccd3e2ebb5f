"""Votes of readers for pipelines: which of those compared for a question find the best hits."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Self

import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.records import Record, described
from schema.ids import check_collection, vote_id
from server.papers.judgements import MOST_LISTED, asked_of, checked_question, refuse_too_many
from server.retrieval.pipelines import Pipeline, find
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

LEAST_COMPARED, MOST_COMPARED = 2, 8
"""Pipelines that a vote is about."""


@dataclass(frozen=True)
class Vote:
    """What a reader says.

    Attributes:
        rater: Id of a key, or an address; '' on a server without keys.
        best: The best pipelines, in order of name; all that are compared where they are equally good.
        voted_at: Time of the vote, in UTC.
    """

    rater: str
    best: tuple[str, ...]
    voted_at: datetime


@dataclass(frozen=True)
class ComparedPipelines:
    """Pipelines that readers compared for a question, with their votes.

    Attributes:
        collection: Collection that was searched.
        question: The question.
        pipelines: Names of the pipelines, in order.
        votes: Votes, one of each reader.
    """

    collection: str
    question: str
    pipelines: tuple[str, ...]
    votes: tuple[Vote, ...]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return what a record of the store holds."""
        votes = tuple(Vote(one["rater"], tuple(one["best"]), one["voted_at"].to_native()) for one in record["votes"])
        return cls(record["collection"], record["question"], tuple(record["pipelines"]), votes)


@dataclass(frozen=True)
class VotedPipeline(Record):
    """Votes for a pipeline."""

    pipeline: Annotated[str, described("Name of the pipeline.")]
    n_best: Annotated[
        int, described("Number of readers who find its hits the best, alone or with those of other pipelines.")
    ]


@dataclass(frozen=True)
class PipelineVotes(Record):
    """Votes for pipelines that readers compared for a question."""

    collection: Annotated[str, described("Collection that was searched.")]
    question: Annotated[str, described("The question.")]
    pipelines: Annotated[tuple[VotedPipeline, ...], described("The compared pipelines, in order of name.")]
    n_readers: Annotated[int, described("Number of readers who voted.")]
    mine: Annotated[tuple[str, ...], described("Pipelines that the caller finds best; empty without a vote.")]

    @classmethod
    def of(cls, compared: ComparedPipelines, rater: str) -> Self:
        """Count votes, with those of a reader told apart."""
        counted = tuple(
            VotedPipeline(name, sum(name in vote.best for vote in compared.votes)) for name in compared.pipelines
        )
        mine = next((vote.best for vote in compared.votes if vote.rater == rater), ())
        return cls(compared.collection, compared.question, counted, len(compared.votes), mine)


@dataclass(frozen=True)
class Ballot:
    """A vote.

    Attributes:
        collection: Collection that was searched.
        question: The question, 1 to 4,000 characters.
        pipelines: Names of the pipelines that were compared, 2 to 8, in any order.
        best: Those with the best hits, in any order; all for a draw, none takes the vote back.
    """

    collection: str
    question: str
    pipelines: Sequence[str]
    best: Sequence[str]

    def checked(self) -> Self:
        """Return the same with names in order, each once.

        Raises:
            InputError: The collection has no valid name, the question is empty or too long, too few or too many
                pipelines are compared, or ``best`` names another one.
        """
        compared, best = tuple(sorted(set(self.pipelines))), tuple(sorted(set(self.best)))
        if not LEAST_COMPARED <= len(compared) <= MOST_COMPARED:
            told = f"{len(compared)} pipelines are compared; {LEAST_COMPARED} to {MOST_COMPARED} are required."
            raise InputError(told, field="pipelines")
        if others := set(best) - set(compared):
            raise InputError(f"Pipeline {min(others)[:80]!r} is not among those compared.", field="best")
        return type(self)(check_collection(self.collection), checked_question(self.question), compared, best)


async def compared_pipelines(
    database: Database,
    collection: str,
    *,
    question: str | None = None,
    collections: AllowedCollections = None,
    most: int = MOST_LISTED,
) -> list[ComparedPipelines]:
    """Return votes of a collection, the question with the newest one first.

    Args:
        database: The store.
        collection: What was searched.
        question: Only this one; None for all.
        collections: The collections that the asker reaches; None for all.
        most: How many questions are returned at most; one for which other pipelines were compared too counts again.

    Raises:
        InputError: The collection has no valid name.
        UnknownCollectionError: The asker reaches no such collection.
        DatabaseError: Neo4j failed.
    """
    asked = await asked_of(database, collection, question, collections=collections)
    records = await database.read(cypher.load("judgements/votes"), **asked, limit=most)
    return [ComparedPipelines.of(record) for record in records]


async def pipeline_votes(
    database: Database,
    collection: str,
    *,
    question: str | None = None,
    rater: str = "",
    collections: AllowedCollections = None,
) -> list[PipelineVotes]:
    """Return counted votes of a collection as :func:`compared_pipelines` does; ``rater`` is who has ``mine``."""
    found = await compared_pipelines(database, collection, question=question, collections=collections)
    return [PipelineVotes.of(one, rater) for one in found]


async def vote_for_pipelines(
    database: Database,
    ballot: Ballot,
    *,
    known: Mapping[str, Pipeline],
    rater: str,
    collections: AllowedCollections = None,
) -> PipelineVotes:
    """Vote for pipelines that were compared for a question; the last vote of each reader on them counts.

    Args:
        database: The store.
        ballot: What was compared, and which of it is best.
        known: The pipelines of the server.
        rater: Who votes: the id of a key, or an address.
        collections: The collections that the rater reaches; None for all.

    Returns:
        All votes on these pipelines for the question.

    Raises:
        InputError: See :meth:`Ballot.checked`; or there is no pipeline of a name.
        UnknownCollectionError: The rater reaches no such collection.
        ConflictError: The rater has :data:`server.papers.judgements.MOST_JUDGED` judgements and votes.
        DatabaseError: Neo4j failed.
    """
    ballot = ballot.checked()
    collection, question, compared = ballot.collection, ballot.question, tuple(ballot.pipelines)
    await refuse_unknown_collection(database, within(collection, collections), asked=collection)
    id = vote_id(collection, question, compared, rater)
    if ballot.best:
        for name in compared:
            find(name, known)
        (state,) = await database.read(cypher.load("judgements/count"), judgement=id, rater=rater)
        refuse_too_many(state["n_others"], field="best")
        await database.run_alone(cypher.load("judgements/vote"), id=id, rater=rater, **asdict(ballot))
    else:
        await database.run_alone(cypher.load("judgements/delete"), id=id)
    found = await compared_pipelines(database, collection, question=question, collections=collections)
    same = (one for one in found if one.pipelines == compared)
    return PipelineVotes.of(next(same, ComparedPipelines(collection, question, compared, ())), rater)
