"""Judgements over REST: which papers readers find relevant to a question, and which pipelines find the best hits."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.context import Context, Id
from server.papers.judgements import JudgedQuestion, judge_paper, judged_questions
from server.papers.pipeline_votes import (
    LEAST_COMPARED,
    MOST_COMPARED,
    Ballot,
    PipelineVotes,
    pipeline_votes,
    vote_for_pipelines,
)
from server.rest.costs import price_of
from server.rest.requests import InCollection, RequestModel
from server.rest.responses import ListResponse
from server.retrieval.request import MAX_QUERY_CHARS

router = APIRouter()


class JudgementsOf(InCollection):
    """Judged questions of a collection."""

    question: str | None = Field(default=None, max_length=MAX_QUERY_CHARS)
    """Only this question; default: all."""


class JudgementBody(RequestModel):
    """Judgement of a paper; the last one of a reader counts."""

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    """The question."""

    relevant: bool | None
    """Whether the paper is relevant to it; null removes the judgement."""


class VoteBody(InCollection):
    """Vote for pipelines that were compared for a question; the last one of a reader counts."""

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    """The question."""

    pipelines: list[str] = Field(min_length=LEAST_COMPARED, max_length=MOST_COMPARED)
    """Names of the compared pipelines."""

    best: list[str] = Field(max_length=MOST_COMPARED)
    """Those with the best hits: all for a draw; none removes the vote."""


@router.get("/judgements", summary="List questions with the papers that readers judged for them, the newest first.")
@access(KeyScope.READ, cost=prices.JUDGEMENTS, queued=True)
async def list_judgements(context: Context, wanted: Annotated[JudgementsOf, Query()]) -> ListResponse[JudgedQuestion]:
    found = await judged_questions(
        context.database,
        context.collection(wanted.collection),
        question=wanted.question,
        rater=context.principal.id,
        collections=context.collections,
    )
    return ListResponse(data=found)


@router.put("/papers/{id}/judgement", summary="Judge whether a paper is relevant to a question.")
@access(KeyScope.ASK, cost=1 + price_of(JudgedQuestion), queued=True)
async def judge_paper_for_question(context: Context, id: Id, wanted: JudgementBody) -> JudgedQuestion:
    return await judge_paper(
        context.database,
        id,
        wanted.question,
        wanted.relevant,
        rater=context.principal.id,
        collections=context.collections,
    )


@router.get("/votes", summary="List votes for pipelines that readers compared for questions, the newest first.")
@access(KeyScope.READ, cost=prices.JUDGEMENTS, queued=True)
async def list_votes(context: Context, wanted: Annotated[JudgementsOf, Query()]) -> ListResponse[PipelineVotes]:
    found = await pipeline_votes(
        context.database,
        context.collection(wanted.collection),
        question=wanted.question,
        rater=context.principal.id,
        collections=context.collections,
    )
    return ListResponse(data=found)


@router.put("/votes", summary="Vote for the best of the pipelines that were compared for a question.")
@access(KeyScope.ASK, cost=1 + price_of(PipelineVotes), queued=True)
async def vote(context: Context, wanted: VoteBody) -> PipelineVotes:
    return await vote_for_pipelines(
        context.database,
        Ballot(context.collection(wanted.collection), wanted.question, wanted.pipelines, wanted.best),
        known=context.service.pipelines,
        rater=context.principal.id,
        collections=context.collections,
    )
