"""Answers over REST, at once or as server-sent events; and what a collection's papers are about."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from schema.ids import COLLECTION
from server.access import prices
from server.access.answering import answer_for, events_for
from server.access.searching import MOST_OVERRIDES
from server.answering import records
from server.answering.ask import DEFAULT_TOKENS, MOST_HISTORY_CHARS, MOST_TOKENS, MOST_TURNS, Asking, Turn
from server.answering.records import Cited, Delta, Fault, Mode, Read, Reason
from server.answering.scopes import MOST_CHARS, set_scope
from server.answering.support import LEAST
from server.rest.asking import Ask, Asked, Given, InCollection
from server.rest.events import EVENTS, Named, stream_of
from server.rest.models import Answer as Answered
from server.rest.pricing import price_of
from server.rest.searching import Hit, SelectionBody, hits_of
from server.retrieval.filters import Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Reader
from server.retrieval.search import MAX_K, MAX_QUERY_CHARS

router = APIRouter()


class TurnBody(Given):
    """Something said earlier in a conversation."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=MOST_HISTORY_CHARS)


class AskBody(InCollection):
    """A question and how it is to be answered."""

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["Is tabu search better than annealing?"])
    k: int | None = Field(default=None, ge=1, le=MAX_K)
    """Passages to answer from."""

    pipeline: str = DEFAULT_PIPELINE
    """How passages are found, by name."""

    overrides: dict[str, Any] = Field(default_factory=dict, max_length=MOST_OVERRIDES)
    selection: SelectionBody | None = None
    filter: Annotated[Filter, BeforeValidator(parse_filter)] | None = None
    backfill: bool = False
    mode: Mode = Mode.AUTO
    """Who writes: a language model where one is at hand, always one, or nobody: sentences of the papers."""

    reader: Reader | None = None
    """What a model is given to write from; by default what the pipeline says."""

    token_budget: int = Field(default=DEFAULT_TOKENS, ge=1, le=MOST_TOKENS)
    """Tokens of all passages together, at most; a selection keeps to it too."""

    least_support: float = Field(default=LEAST, ge=0, le=1)
    """Probability of an answer in the passages below which the question is refused."""

    history: list[TurnBody] = Field(default_factory=list, max_length=MOST_TURNS)
    """What was said before; read only with ``rewrite``."""

    rewrite: bool = False
    """Whether a language model makes the question one that stands by itself."""

    stream: bool = False
    """Whether the answer comes as events: sources, delta and citation as they come, and result at the end."""

    def asking(self) -> Asking:
        """Return the question as all faces have it."""
        return Asking(
            question=self.question,
            pipeline=self.pipeline,
            collection=self.collection,
            mode=self.mode,
            reader=self.reader,
            k=self.k,
            overrides=self.overrides,
            select=self.selection.step() if self.selection else None,
            filter=self.filter,
            backfill=self.backfill,
            token_budget=self.token_budget,
            least_support=self.least_support,
            history=tuple(Turn(turn.role, turn.text) for turn in self.history),
            rewrite=self.rewrite,
        )


class Source(Answered):
    """A passage as a reader is given it."""

    number: int
    """What ``[n]`` in an answer means."""

    hit: Hit
    text: str
    """Without letters that nobody sees, and sentences that give orders."""

    instructions: int
    """How many sentences were left out because they give orders."""


class Citation(Answered):
    """A quote that stands, letter by letter, in a chunk."""

    number: int
    chunk_id: str
    paper_id: str
    paper_title: str
    section_path: list[str]
    url: str | None
    page: int | None
    quote: str
    start: int
    """Place of the quote in the chunk's text, in characters."""

    end: int
    answer_start: int
    """Place of ``[number]`` in the answer's text."""

    answer_end: int
    claim_start: int
    """Place of the sentence that it stands for."""

    claim_end: int


class Dropped(Answered):
    """Something that was written and did not pass."""

    text: str
    fault: Fault
    detail: str


class Usage(Answered):
    """What language models took for a question, all calls together."""

    requests: int = Field(validation_alias="n_requests", serialization_alias="requests")
    cached: int = Field(validation_alias="n_cached", serialization_alias="cached")
    input_tokens: int
    output_tokens: int
    estimated_tokens: int
    cost: float
    """In the currency of the prices that are set."""


class AskAnswer(Answered):
    """An answer, or why there is none."""

    id: str
    kind: Literal["answer", "refusal"]
    text: str | None
    """Sentences with ``[n]`` behind each; of a refusal none."""

    citations: list[Citation]
    sources: list[Source]
    """What the answer was written from; of a refusal the passages that came nearest."""

    grounded: bool
    """Whether all that was written passed; of a refusal false."""

    llm_generated: bool
    model: str | None
    reason: Reason | None
    """Why there is no answer."""

    message: str | None
    dropped: list[Dropped]
    usage: Usage
    degraded: list[str]
    """What did not go as it was asked, in words."""

    support: float | None
    """Probability that the passages hold an answer, by the words of the question."""


class Sources(Answered):
    """What the answer will be written from; the first event."""

    sources: list[Source]


class Piece(Answered):
    """The next piece of the answer's text."""

    text: str


@router.post(
    "/ask",
    summary="An answer from the papers with citations that were checked, or why there is none.",
    response_model=AskAnswer,
    responses={200: {"description": "The answer, or events where stream is true.", "content": {EVENTS: {}}}},
)
async def ask(ask: Ask, wanted: AskBody, request: Request) -> AskAnswer | Response:
    await ask.charge(prices.ANSWER)
    asking = wanted.asking()
    if wanted.stream:
        return await stream_of(ask, request, _events(ask, asking))
    return await _answer(ask, await answer_for(ask.grant, ask.service.resources, ask.terms.spending, asking))


class ScopeBody(Given):
    """What a collection's papers are about."""

    scope: str | None = Field(max_length=MOST_CHARS)
    """In words; null takes it back."""


class CollectionScope(Answered):
    """What a collection's papers are about."""

    collection: str
    scope: str | None


Name = Annotated[str, Path(pattern=f"^{COLLECTION.pattern}$", description="A collection's name.")]


@router.put(
    "/collections/{name}/scope", summary="Say what a collection's papers are about; other questions are out of scope."
)
async def write_scope(ask: Ask, name: Name, wanted: ScopeBody) -> CollectionScope:
    await ask.charge(1 + price_of(CollectionScope))
    text = await set_scope(ask.database, name, wanted.scope, collections=ask.collections)
    return CollectionScope(collection=name, scope=text)


async def _events(ask: Asked, asking: Asking) -> AsyncGenerator[Named, None]:
    events = events_for(ask.grant, ask.service.resources, ask.terms.spending, asking)
    async with aclosing(events):
        async for event in events:
            match event:
                case Read():
                    yield "sources", Sources(sources=await _sources(ask, event.sources))
                case Delta():
                    yield "delta", Piece(text=event.text)
                case Cited():
                    yield "citation", Citation.model_validate(event.citation)
                case _:
                    yield "result", await _answer(ask, event.result)


async def _answer(ask: Asked, result: records.Answer | records.Refusal) -> AskAnswer:
    shared = {
        "id": result.id,
        "dropped": [Dropped.model_validate(one) for one in result.dropped],
        "usage": Usage.model_validate(result.usage),
        "degraded": list(result.degraded),
        "support": None if result.support is None else result.support.probability,
    }
    if isinstance(result, records.Refusal):
        return AskAnswer(
            kind="refusal",
            text=None,
            citations=[],
            sources=await _sources(ask, result.nearest),
            grounded=False,
            llm_generated=False,
            model=None,
            reason=result.reason,
            message=result.message,
            **shared,
        )
    return AskAnswer(
        kind="answer",
        text=result.text,
        citations=[Citation.model_validate(citation) for citation in result.citations],
        sources=await _sources(ask, result.sources),
        grounded=result.grounded,
        llm_generated=result.llm_generated,
        model=result.model,
        reason=None,
        message=None,
        **shared,
    )


async def _sources(ask: Asked, sources: tuple[records.Source, ...]) -> list[Source]:
    hits = await hits_of(ask, [source.hit for source in sources])
    return [
        Source(number=source.number, hit=hit, text=source.text, instructions=source.instructions)
        for source, hit in zip(sources, hits, strict=True)
    ]
