"""Answers over REST, at once or as server-sent events; and the subject of a collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from papergraph.records import described
from schema.ids import COLLECTION
from server.answers import records
from server.answers.answer_text import MOST_CHARS as MOST_INSTRUCTIONS
from server.answers.answerability import LEAST
from server.answers.follow_up import MOST_CHARS, set_subject
from server.answers.records import (
    AnswerCitation,
    CitationEvent,
    DeltaEvent,
    Mode,
    NamedAnswer,
    Reason,
    SourcesEvent,
)
from server.answers.request import (
    DEFAULT_TOKENS,
    MOST_HISTORY_CHARS,
    MOST_TOKENS,
    MOST_TURNS,
    MOST_WAYS,
    AskRequest,
    Turn,
)
from server.auth import costs as prices
from server.auth.access import Deadline, KeyScope, access
from server.operations.ask import answer_for, events_for, sources_of
from server.operations.context import Context, RequestContext
from server.rest.requests import InCollections, RequestModel, ResponseModel, price_of
from server.rest.search import Hit, SelectionBody, hits_of
from server.rest.sse import EVENTS, Named, stream_of
from server.retrieval.filters import Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Reader
from server.retrieval.request import MAX_K, MAX_QUERY_CHARS, MOST_OVERRIDES, SearchRequest
from server.retrieval.scope import Collections

router = APIRouter()


class TurnBody(RequestModel):
    """Earlier turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=MOST_HISTORY_CHARS)


class AskBody(InCollections):
    """Question and answer options."""

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["Is tabu search better than annealing?"])
    k: int | None = Field(default=None, ge=1, le=MAX_K)
    """Number of passages to answer from."""

    pipeline: str = DEFAULT_PIPELINE
    """Retrieval pipeline, by name."""

    overrides: dict[str, Any] = Field(default_factory=dict, max_length=MOST_OVERRIDES)
    selection: SelectionBody | None = None
    filter: Annotated[Filter, BeforeValidator(parse_filter)] | None = None
    backfill: bool = False
    mode: Mode = Mode.AUTO
    """Writer: a language model if available (auto), always one, or sentences of the papers (extractive)."""

    reader: Reader | None = None
    """Input of the language model; default: the reader of the pipeline."""

    pipelines: list[str] | None = Field(default=None, min_length=1, max_length=MOST_WAYS)
    """Several pipelines instead of one: each answers, and the best answer is returned."""

    readers: list[Reader] | None = Field(default=None, min_length=1, max_length=MOST_WAYS)
    """Several readers instead of one, for each pipeline; at most 4 answers in all."""

    token_budget: int = Field(default=DEFAULT_TOKENS, ge=1, le=MOST_TOKENS)
    """Maximum tokens of all passages together, also for a selection."""

    min_answerability: float = Field(default=LEAST, ge=0, le=1)
    """Minimum answerability (0 to 1); below it the question is refused."""

    history: list[TurnBody] = Field(default_factory=list, max_length=MOST_TURNS)
    """Earlier turns; they complete the question."""

    rewrite: bool = True
    """Complete the question from the history, with a language model, or by rules without one."""

    instructions: str = Field(default="", max_length=MOST_INSTRUCTIONS)
    """Language, length and tone of the answer, in words; other instructions are ignored and reported."""

    store: bool = False
    """Store the answer; GET /v1/answers/{id} returns it by its id."""

    stream: bool = False
    """Stream the answer as events: sources, delta and citation, then done."""

    def asking(self, collections: Collections) -> AskRequest:
        """Return the question to collections as all interfaces have it."""
        return AskRequest(
            self.question,
            SearchRequest(
                pipeline=self.pipeline,
                collections=collections,
                k=self.k,
                overrides=self.overrides,
                selection=self.selection.step() if self.selection else None,
                filter=self.filter,
                backfill=self.backfill,
            ),
            mode=self.mode,
            reader=self.reader,
            pipelines=tuple(self.pipelines or ()),
            readers=tuple(self.readers or ()),
            token_budget=self.token_budget,
            min_answerability=self.min_answerability,
            history=tuple(Turn(turn.role, turn.text) for turn in self.history),
            rewrite=self.rewrite,
            instructions=self.instructions,
            store=self.store,
        )


class Source(ResponseModel):
    """Passage as the reader receives it."""

    number: int
    """Number of the source, ``[n]`` in the answer."""

    hit: Hit
    text: str
    """Text without invisible characters and instructions."""

    instructions: int
    """Number of removed sentences that give instructions."""


@dataclass(frozen=True, kw_only=True)
class AskAnswer(records.Answered):
    """Answer or refusal."""

    kind: Annotated[Literal["answer", "refusal"], described("Whether the question is answered.")]
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


def answer_cost(wanted: AskBody) -> int:
    """Return the cost of an answer, in each of its ways."""
    return prices.for_several(prices.ANSWER, wanted.collections, wanted.pipelines, wanted.readers)


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
@access(KeyScope.ASK, cost=answer_cost, deadline=Deadline.MODEL)
async def answer_question(context: Context, wanted: AskBody, request: Request) -> AskAnswer | Response:
    asking = wanted.asking(context.searched(wanted.collection, wanted.collections))
    if wanted.stream:
        events = events_for(
            context.principal, context.service.resources, context.limits.spending, asking, context.service.pipelines
        )
        return await stream_of(context, request, events, partial(named_event, context))
    result = await answer_for(
        context.principal, context.service.resources, context.limits.spending, asking, context.service.pipelines
    )
    return await _answer(context, result)


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
@access(KeyScope.INGEST, cost=1 + price_of(CollectionSubject))
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
