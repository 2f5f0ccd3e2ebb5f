"""Stored answers over REST: read, rate and delete them."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from papergraph.server.answers.stored import (
    MOST_COMMENT_CHARS,
    DeletedAnswer,
    StoredAnswer,
    Verdict,
    delete_answer,
    find_answer,
    rate_answer,
)
from papergraph.server.auth.operations import RATE, READ
from papergraph.server.operations.ask import asker_of
from papergraph.server.operations.context import Context
from papergraph.server.rest.requests import RequestModel

router = APIRouter()

AnswerId = Annotated[str, Path(pattern=r"^answer-[0-9a-f]{16}$", description="Id of the answer.")]


class RatingBody(RequestModel):
    """Rating of an answer; the last one of a reader counts."""

    verdict: Verdict
    comment: str = Field(default="", max_length=MOST_COMMENT_CHARS)
    """Reason in words."""


@router.get("/answers/{id}", summary="Return a stored answer with its ratings.")
@READ
async def get_stored_answer(context: Context, id: AnswerId) -> StoredAnswer:
    return await find_answer(context.database, id, collections=context.collections)


@router.put("/answers/{id}/rating", summary="Rate a stored answer; the last rating of a reader counts.")
@RATE
async def rate_stored_answer(context: Context, id: AnswerId, wanted: RatingBody) -> StoredAnswer:
    return await rate_answer(
        context.database,
        id,
        wanted.verdict,
        wanted.comment,
        rater=context.principal.account,
        collections=context.collections,
    )


@router.delete("/answers/{id}", summary="Delete one's own stored answer; an administrator deletes any.")
@RATE
async def delete_stored_answer(context: Context, id: AnswerId) -> DeletedAnswer:
    asker = asker_of(context.principal)
    return await delete_answer(context.database, id, asker=asker, collections=context.collections)
