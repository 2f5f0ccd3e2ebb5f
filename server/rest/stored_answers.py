"""Stored answers over REST: read, rate and delete them."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from server.answers.records import AnswerCitation, DroppedText, NamedAnswer, Reason
from server.answers.stored import MOST_COMMENT_CHARS, StoredSource, Verdict, delete_answer, find_answer, rate_answer
from server.auth.access import access
from server.auth.principal import KeyScope
from server.context import Context
from server.operations.ask import asker_of
from server.rest.costs import price_of
from server.rest.requests import RequestModel
from server.rest.responses import ResponseModel

router = APIRouter()

AnswerId = Annotated[str, Path(pattern=r"^answer-[0-9a-f]{16}$", description="Id of the answer.")]


class AnswerRating(ResponseModel):
    """Rating of a stored answer by a reader."""

    verdict: Verdict
    comment: str
    """Reason in words; may be empty."""

    rated_at: datetime


class StoredAnswer(ResponseModel):
    """Answer or refusal as it was given and stored."""

    id: str
    collection: str
    asked_at: datetime
    asked: str
    """Question as it was asked."""

    question: str
    """Question as it was searched for, completed from the history."""

    text: str | None
    """Sentences, each with its citations ``[n]``; null for a refusal."""

    citations: list[AnswerCitation]
    sources: list[StoredSource]
    dropped: list[DroppedText]
    grounded: bool
    llm_generated: bool
    model: str | None
    warnings: list[str]
    answerability: float | None
    reason: Reason | None
    """Reason of a refusal."""

    message: str | None
    named_query: NamedAnswer | None = Field(validation_alias="named", serialization_alias="namedQuery")
    """Query over the graph, if it answered instead of passages."""

    ratings: list[AnswerRating]
    """Ratings, the newest first, one per reader."""


class RatingBody(RequestModel):
    """Rating of an answer; the last one of a reader counts."""

    verdict: Verdict
    comment: str = Field(default="", max_length=MOST_COMMENT_CHARS)
    """Reason in words."""


class DeletedAnswer(ResponseModel):
    """A stored answer that was deleted."""

    id: str


@router.get("/answers/{id}", summary="Return a stored answer with its ratings.")
@access(KeyScope.READ, cost=1 + price_of(StoredAnswer))
async def get_stored_answer(context: Context, id: AnswerId) -> StoredAnswer:
    return StoredAnswer.model_validate(await find_answer(context.database, id, collections=context.collections))


@router.put("/answers/{id}/rating", summary="Rate a stored answer; the last rating of a reader counts.")
@access(KeyScope.ASK, cost=1 + price_of(StoredAnswer))
async def rate_stored_answer(context: Context, id: AnswerId, wanted: RatingBody) -> StoredAnswer:
    found = await rate_answer(
        context.database,
        id,
        wanted.verdict,
        wanted.comment,
        rater=context.principal.id,
        collections=context.collections,
    )
    return StoredAnswer.model_validate(found)


@router.delete("/answers/{id}", summary="Delete one's own stored answer; an administrator deletes any.")
@access(KeyScope.ASK, cost=1 + price_of(DeletedAnswer))
async def delete_stored_answer(context: Context, id: AnswerId) -> DeletedAnswer:
    await delete_answer(context.database, id, asker=asker_of(context.principal), collections=context.collections)
    return DeletedAnswer(id=id)
