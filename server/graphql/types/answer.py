"""Answers in GraphQL: what can be asked, an answer or a refusal, and the events of one that comes piece by piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import StrEnum
from typing import Annotated, Any, Self

import strawberry

from papergraph import language_model
from schema.ids import DEFAULT_COLLECTION
from server.access.answering import answer_for, events_for
from server.answering import records, support
from server.answering.ask import DEFAULT_TOKENS, Asking, Turn
from server.answering.records import Cited, Delta, Fault, Mode, Read, Reason
from server.answering.support import LEAST
from server.graphql.searching import FilterInput, Override, SearchResult, SelectionInput, nodes_of
from server.graphql.types import Chunk, Hit, Info, Paper
from server.retrieval import pipelines
from server.retrieval.filters import parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.resources import Resources
from server.retrieval.search import Found

strawberry.enum(
    Mode,
    name="AnswerMode",
    description="Who writes: a language model where one is at hand, always one, or nobody: sentences of the papers.",
)
strawberry.enum(Reason, name="RefusalReason", description="Why there is no answer.")
strawberry.enum(Fault, name="AnswerFault", description="Why something that was written was dropped.")


@strawberry.enum(name="TurnRole", description="Who said something earlier in a conversation.")
class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


@strawberry.input(description="Something said earlier in a conversation.")
class TurnInput:
    """An earlier turn."""

    role: Role
    text: str


@strawberry.input(description="A question and how it is to be answered.")
class AskInput:
    """A question."""

    question: str = strawberry.field(description="1 to 4000 characters.")
    k: int | None = strawberry.field(default=None, description="Passages to answer from, 1 to 100.")
    collection: str = strawberry.field(default=DEFAULT_COLLECTION, description="Where to look.")
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="How passages are found, by name.")
    overrides: list[Override] = strawberry.field(default_factory=list, description="Other options for its steps.")
    selection: SelectionInput | None = strawberry.field(default=None, description="As of a search.")
    filter: FilterInput | None = strawberry.field(default=None, description="Which papers and passages to look among.")
    backfill: bool = strawberry.field(default=False, description="As of a search.")
    mode: Mode = Mode.AUTO
    reader: Reader | None = strawberry.field(default=None, description="By default what the pipeline says.")
    token_budget: int = strawberry.field(
        default=DEFAULT_TOKENS, description="Tokens of all passages together, at most; a selection keeps to it too."
    )
    least_support: float = strawberry.field(
        default=LEAST, description="Probability of an answer in the passages below which the question is refused."
    )
    history: list[TurnInput] = strawberry.field(
        default_factory=list, description="What was said before; read only with rewrite."
    )
    rewrite: bool = strawberry.field(
        default=False, description="Whether a language model makes the question one that stands by itself."
    )

    def asking(self) -> Asking:
        """Return the question as all faces have it.

        Raises:
            InputError: A value is out of its range.
        """
        return Asking(
            question=self.question,
            pipeline=self.pipeline,
            collection=self.collection,
            mode=self.mode,
            reader=self.reader,
            k=self.k,
            overrides={override.option: override.value for override in self.overrides},
            select=self.selection.step() if self.selection else None,
            filter=parse_filter(self.filter.data()) if self.filter else None,
            backfill=self.backfill,
            token_budget=self.token_budget,
            least_support=self.least_support,
            history=tuple(Turn(turn.role.value, turn.text) for turn in self.history),
            rewrite=self.rewrite,
        )


@strawberry.type(description="A passage as a reader is given it.")
class AnswerSource:
    """A source."""

    number: int = strawberry.field(description="What [n] in an answer means.")
    hit: Hit
    text: str = strawberry.field(description="Without letters that nobody sees, and sentences that give orders.")
    instructions: int = strawberry.field(description="How many sentences were left out because they give orders.")

    @classmethod
    def of(cls, source: records.Source) -> Self:
        """Wrap a source."""
        return cls(number=source.number, hit=Hit.of(source.hit), text=source.text, instructions=source.instructions)


@strawberry.type(description="A quote that stands, letter by letter, in a chunk.")
class AnswerCitation:
    """A citation."""

    number: int = strawberry.field(description="The source's; [number] stands in the answer.")
    quote: str
    start: int = strawberry.field(description="Place of the quote in the chunk's text, in characters.")
    end: int
    answer_start: int = strawberry.field(description="Place of [number] in the answer's text.")
    answer_end: int
    claim_start: int = strawberry.field(description="Place of the sentence that it stands for.")
    claim_end: int
    section_path: list[str] = strawberry.field(description="Headings above the quote, outermost first.")
    page: int | None
    url: str | None = strawberry.field(description="Where the paper can be read, if that is known.")
    chunk_id: strawberry.ID
    paper_id: strawberry.ID
    paper_title: str

    @classmethod
    def of(cls, citation: records.Citation) -> Self:
        """Wrap a citation."""
        given = vars(citation) | {
            "section_path": list(citation.section_path),
            "chunk_id": strawberry.ID(citation.chunk_id),
            "paper_id": strawberry.ID(citation.paper_id),
        }
        return cls(**given)

    @strawberry.field
    async def chunk(self, info: Info) -> Chunk | None:
        found = await info.context.nodes.load(self.chunk_id)
        return None if found is None else Chunk.of(found)  # type: ignore[arg-type]

    @strawberry.field
    async def paper(self, info: Info) -> Paper | None:
        found = await info.context.nodes.load(self.paper_id)
        return None if found is None else Paper.of(found)  # type: ignore[arg-type]


@strawberry.type(description="Something that was written and did not pass.")
class DroppedText:
    """A sentence or a citation."""

    text: str
    fault: Fault
    detail: str


@strawberry.type(description="What language models took for a question, all calls together.")
class ModelUsage:
    """Usage."""

    requests: int
    cached: int = strawberry.field(description="Answers that were stored already and took nothing.")
    input_tokens: int
    output_tokens: int
    estimated_tokens: int = strawberry.field(description="How many of those are an estimate.")
    cost: float = strawberry.field(description="In the currency of the prices that are set.")

    @classmethod
    def of(cls, usage: language_model.Usage) -> Self:
        """Wrap a usage."""
        return cls(
            requests=usage.n_requests,
            cached=usage.n_cached,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            estimated_tokens=usage.estimated_tokens,
            cost=usage.cost,
        )


@strawberry.interface(name="Answered", description="What answers and refusals have in common.")
class Answered:
    """An answer or a refusal."""

    id: strawberry.ID
    dropped: list[DroppedText] = strawberry.field(description="What was written and did not pass the verifier.")
    usage: ModelUsage
    degraded: list[str] = strawberry.field(description="What did not go as it was asked, in words.")
    support: float | None = strawberry.field(
        description="Probability that the passages hold an answer, by the words of the question; 0 to 1."
    )
    found: strawberry.Private[Found]
    resources: strawberry.Private[Resources]

    @strawberry.field(description="The search that the answer rests on.")
    def search(self) -> SearchResult:
        return SearchResult(hits=[Hit.of(hit) for hit in self.found.hits], found=self.found, resources=self.resources)


@strawberry.type(description="An answer whose every citation was checked.")
class Answer(Answered):
    """An answer."""

    text: str = strawberry.field(description="Sentences with [n] behind each.")
    citations: list[AnswerCitation]
    sources: list[AnswerSource]
    grounded: bool = strawberry.field(description="Whether all that was written passed, and nothing was dropped.")
    llm_generated: bool = strawberry.field(description="Whether a language model wrote it.")
    model: str | None


@strawberry.type(description="No answer, and why.")
class Refusal(Answered):
    """A refusal."""

    reason: Reason
    message: str
    nearest_evidence: list[AnswerSource] = strawberry.field(description="The passages that came nearest, best first.")


AskResult = Annotated[Answer | Refusal, strawberry.union("AskResult", description="An answer, or why there is none.")]


@strawberry.type(description="What the answer will be written from; the first event.")
class AnswerSources:
    """The sources."""

    sources: list[AnswerSource]


@strawberry.type(description="The next piece of the answer's text; all of them together are the text.")
class AnswerDelta:
    """A piece of text."""

    seq: int
    text: str


@strawberry.type(description="A citation of the piece before.")
class AnswerCited:
    """A citation."""

    seq: int
    citation: AnswerCitation


@strawberry.type(description="The answer, or why there is none; the last event.")
class AnswerEnded:
    """The end."""

    result: AskResult


AnswerEvent = Annotated[
    AnswerSources | AnswerDelta | AnswerCited | AnswerEnded,
    strawberry.union("AnswerEvent", description="Sources, then text and citations as they come, then the end."),
]


async def ask(info: Info, asked: AskInput) -> Answer | Refusal:
    """Answer a question where the grant reaches."""
    context = info.context
    resources = context.service.resources
    result = await answer_for(context.grant, resources, context.spending, asked.asking())
    return _result(info, result, resources)


async def answer_events(info: Info, asked: AskInput) -> AsyncGenerator[AnswerEvent, None]:
    """Yield what an answer comes to, piece by piece."""
    context = info.context
    resources = context.service.resources
    seq = 0
    async with aclosing(events_for(context.grant, resources, context.spending, asked.asking())) as events:
        async for event in events:
            match event:
                case Read():
                    yield AnswerSources(sources=_sources(info, event.sources))
                case Delta():
                    seq += 1
                    yield AnswerDelta(seq=seq, text=event.text)
                case Cited():
                    seq += 1
                    yield AnswerCited(seq=seq, citation=AnswerCitation.of(event.citation))
                case _:
                    yield AnswerEnded(result=_result(info, event.result, resources))


def _result(info: Info, result: records.Answer | records.Refusal, resources: Resources) -> Answer | Refusal:
    shared: dict[str, Any] = {
        "id": strawberry.ID(result.id),
        "dropped": [DroppedText(text=one.text, fault=one.fault, detail=one.detail) for one in result.dropped],
        "usage": ModelUsage.of(result.usage),
        "degraded": list(result.degraded),
        "support": _probability(result.support),
        "found": result.found,
        "resources": resources,
    }
    if isinstance(result, records.Refusal):
        nearest = _sources(info, result.nearest)
        return Refusal(reason=result.reason, message=result.message, nearest_evidence=nearest, **shared)
    return Answer(
        text=result.text,
        citations=[AnswerCitation.of(citation) for citation in result.citations],
        sources=_sources(info, result.sources),
        grounded=result.grounded,
        llm_generated=result.llm_generated,
        model=result.model,
        **shared,
    )


def _probability(found: support.Support | None) -> float | None:
    return None if found is None else found.probability


def _sources(info: Info, sources: tuple[records.Source, ...]) -> list[AnswerSource]:
    for node in nodes_of([source.hit for source in sources]):
        info.context.remember(node)
    return [AnswerSource.of(source) for source in sources]
