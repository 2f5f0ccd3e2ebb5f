"""Answers over REST, at once or as server-sent events; and the subject of a collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import Field

from papergraph import requests
from papergraph.records import described
from papergraph.schema.ids import COLLECTION
from papergraph.server.answers import records
from papergraph.server.answers.draft import DraftReport, DraftRequest
from papergraph.server.answers.follow_up import MOST_CHARS, set_subject
from papergraph.server.answers.records import (
    AnswerCitation,
    CitationEvent,
    DeltaEvent,
    NamedAnswer,
    Reason,
    SourcesEvent,
)
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.stored import (
    MOST_COMMENT_CHARS,
    DeletedAnswer,
    StoredAnswer,
    Verdict,
    delete_answer,
    find_answer,
    rate_answer,
)
from papergraph.server.auth.operations import ANSWER, CHANGE, DRAFT, RATE, READ
from papergraph.server.operations.ask import answer_for, draft_for, events_for, required_owner, sources_of
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.rest.requests import RequestModel, ResponseModel
from papergraph.server.rest.search import Hit, hits_of
from papergraph.server.rest.sse import EVENTS, Named, stream_of

router = APIRouter()


@requests.request(kw_only=True)
class AskBody(AskRequest):
    """Question and answer options."""

    stream: Annotated[bool, described("Stream the answer as events: sources, delta and citation, then done.")] = False


@dataclass(frozen=True, kw_only=True)
class Source(records.Source):
    """Passage as the reader receives it."""

    hit: Annotated[Hit, described("The passage as the search found it.")]


@dataclass(frozen=True, kw_only=True)
class AskAnswer(records.Answered):
    """Answer or refusal."""

    kind: Annotated[Literal["answer", "refusal"], described("An answer, or a refusal.")]
    text: Annotated[str | None, described("Sentences, each with its citations ``[n]``; null for a refusal.")] = None
    citations: Annotated[tuple[AnswerCitation, ...], described("The citations, in the order of the text.")] = ()
    sources: Annotated[tuple[Source, ...], described("Sources of the answer; for a refusal, the nearest passages.")]
    grounded: Annotated[bool, described("True if all generated text passed verification; false for a refusal.")] = False
    llm_generated: Annotated[bool, described("True if a language model wrote the answer.")] = False
    model: Annotated[str | None, described("Name of the language model, if one wrote the answer.")] = None
    named_query: Annotated[
        NamedAnswer | None, described("Query over the graph, if it answered instead of passages.")
    ] = None
    reason: Annotated[Reason | None, described("Reason of a refusal.")] = None
    message: Annotated[str | None, described("Reason of a refusal as text.")] = None


class Sources(ResponseModel):
    """Sources of the answer; the first event."""

    sources: list[Source]


class Piece(ResponseModel):
    """Next piece of the text."""

    text: str


@router.post(
    "/ask",
    summary="Answer a question with verified citations, or refuse it with a reason.",
    response_model=AskAnswer,
    responses={
        200: {
            "description": "Answer, or events if stream is true.",
            "content": {EVENTS: {"schema": {"$ref": "#/components/schemas/AnswerEvent"}}},
        }
    },
)
@ANSWER
async def answer_question(context: Context, wanted: AskBody, request: Request) -> AskAnswer | Response:
    if wanted.stream:
        events = events_for(
            context.principal, context.resources, context.limits.spending, wanted, context.service.pipelines
        )
        return await stream_of(context, request, events, partial(named_event, context))
    result = await answer_for(
        context.principal, context.resources, context.limits.spending, wanted, context.service.pipelines
    )
    return await _answer(context, result)


@router.post("/drafts", summary="Check each citation of a draft against the cited paper of the collection.")
@DRAFT
async def check_citations(context: Context, wanted: DraftRequest) -> DraftReport:
    return await draft_for(context.principal, context.resources, context.limits.spending, wanted)


class SubjectBody(RequestModel):
    """Subject of the papers of a collection."""

    subject: str | None = Field(max_length=MOST_CHARS)
    """Subject as text; null removes it."""


class CollectionSubject(ResponseModel):
    """Subject of the papers of a collection."""

    collection: str
    subject: str | None


Name = Annotated[str, Path(pattern=f"^{COLLECTION.pattern}$", description="Name of a collection.")]


@router.put("/collections/{name}/subject", summary="Set the subject of a collection; questions outside it are refused.")
@CHANGE
async def set_collection_subject(context: Context, name: Name, wanted: SubjectBody) -> CollectionSubject:
    text = await set_subject(context.database, name, wanted.subject, collections=context.collections)
    return CollectionSubject(collection=name, subject=text)


async def named_event(context: RequestContext, event: records.Event) -> Named:
    """Return an event of an answer with its name; the last is ``done`` with the whole."""
    match event:
        case SourcesEvent():
            return "sources", Sources(sources=await _sources(context, event.sources))
        case DeltaEvent():
            return "delta", Piece(text=event.text)
        case CitationEvent():
            return "citation", event.citation
        case _:
            return "done", await _answer(context, event.result)


async def _answer(context: RequestContext, result: records.Answer | records.Refusal) -> AskAnswer:
    shared = {name: getattr(result, name) for name in vars(result) if name in AskAnswer.__dataclass_fields__}
    sources = tuple(await _sources(context, sources_of(result)))
    if isinstance(result, records.Refusal):
        return AskAnswer(**shared | {"kind": "refusal", "sources": sources})
    return AskAnswer(**shared | {"kind": "answer", "sources": sources, "grounded": result.grounded})


async def _sources(context: RequestContext, sources: Sequence[records.Source]) -> list[Source]:
    hits = await hits_of(context, [source.hit for source in sources])
    return [
        Source(number=source.number, hit=hit, text=source.text, instructions=source.instructions)
        for source, hit in zip(sources, hits, strict=True)
    ]


stored_router = APIRouter()

AnswerId = Annotated[str, Path(pattern=r"^answer-[0-9a-f]{16}$", description="Id of the answer.")]


class RatingBody(RequestModel):
    """Rating of an answer; the last one of a reader counts."""

    verdict: Verdict
    comment: str = Field(default="", max_length=MOST_COMMENT_CHARS)
    """Reason in words."""


@stored_router.get("/answers/{id}", summary="Return a stored answer with its ratings.")
@READ
async def get_stored_answer(context: Context, id: AnswerId) -> StoredAnswer:
    return await find_answer(context.database, id, collections=context.collections)


@stored_router.put("/answers/{id}/rating", summary="Rate a stored answer; the last rating of a reader counts.")
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


@stored_router.delete("/answers/{id}", summary="Delete one's own stored answer; an administrator deletes any.")
@RATE
async def delete_stored_answer(context: Context, id: AnswerId) -> DeletedAnswer:
    principal = required_owner(context.principal)
    return await delete_answer(context.database, id, principal=principal, collections=context.collections)
