"""GraphQL types of answers: input, answer, refusal, and the events of a stream."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import StrEnum
from typing import Annotated, Any, Self

import strawberry
from strawberry.scalars import JSON

from papergraph import language_model
from schema import records as records_of_graph
from schema.ids import DEFAULT_COLLECTION
from server.answers import records
from server.answers.answerability import LEAST, Answerability
from server.answers.highlights import Highlighter
from server.answers.records import Fault, Mode, Reason
from server.answers.request import DEFAULT_TOKENS, AskRequest, Turn
from server.graphql.connections import Info
from server.graphql.types.hits import Hit
from server.graphql.types.nodes import Chunk, Paper
from server.graphql.types.pages import Region, read_regions
from server.graphql.types.search import SearchResult, nodes_of, wrapped
from server.graphql.types.search_input import FilterInput, Override, SelectionInput
from server.operations.ask import answer_for, events_for
from server.retrieval import pipelines
from server.retrieval.filters.language import parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.request import SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.search import SearchResult as Found

strawberry.enum(
    Mode,
    name="AnswerMode",
    description="Writer: a language model if available (auto), always one, or sentences of the papers (extractive).",
)
strawberry.enum(Reason, name="RefusalReason", description="Reason of a refusal.")
strawberry.enum(Fault, name="AnswerFault", description="Reason why generated text was dropped.")


@strawberry.enum(name="TurnRole", description="Role in a conversation.")
class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


@strawberry.input(description="Earlier turn of a conversation.")
class TurnInput:
    """An earlier turn."""

    role: Role
    text: str


@strawberry.input(description="Question and answer options.")
class AskInput:
    """A question."""

    question: str = strawberry.field(description="1 to 4000 characters.")
    k: int | None = strawberry.field(default=None, description="Number of passages to answer from, 1 to 100.")
    collection: str = strawberry.field(default=DEFAULT_COLLECTION, description="Collection to read.")
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="Retrieval pipeline, by name.")
    overrides: list[Override] = strawberry.field(
        default_factory=list, description="Options of pipeline steps to override."
    )
    selection: SelectionInput | None = strawberry.field(default=None, description="As in a search.")
    filter: FilterInput | None = strawberry.field(default=None, description="Filter on papers and passages.")
    backfill: bool = strawberry.field(default=False, description="As in a search.")
    mode: Mode = Mode.AUTO
    reader: Reader | None = strawberry.field(default=None, description="Default: the reader of the pipeline.")
    token_budget: int = strawberry.field(
        default=DEFAULT_TOKENS, description="Maximum tokens of all passages together, also for a selection."
    )
    min_answerability: float = strawberry.field(
        default=LEAST, description="Minimum answerability (0 to 1); below it the question is refused."
    )
    history: list[TurnInput] = strawberry.field(
        default_factory=list, description="Earlier turns; they complete the question."
    )
    rewrite: bool = strawberry.field(
        default=True,
        description="Complete the question from the history, with a language model, or by rules without one.",
    )
    instructions: str = strawberry.field(
        default="", description="Language, length and tone of the answer; other instructions are ignored and reported."
    )

    def asking(self) -> AskRequest:
        """Return the question as all faces have it.

        Raises:
            InputError: A value is out of its range.
        """
        return AskRequest(
            self.question,
            SearchRequest(
                pipeline=self.pipeline,
                collection=self.collection,
                k=self.k,
                overrides={override.option: override.value for override in self.overrides},
                selection=self.selection.step() if self.selection else None,
                filter=parse_filter(self.filter.data()) if self.filter else None,
                backfill=self.backfill,
            ),
            mode=self.mode,
            reader=self.reader,
            token_budget=self.token_budget,
            min_answerability=self.min_answerability,
            history=tuple(Turn(turn.role.value, turn.text) for turn in self.history),
            rewrite=self.rewrite,
            instructions=self.instructions,
        )


@strawberry.type(description="Passage as the reader receives it.")
class AnswerSource:
    """A source."""

    number: int = strawberry.field(description="Number of the source, [n] in the answer.")
    hit: Hit
    text: str = strawberry.field(description="Text without invisible characters and instructions.")
    instructions: int = strawberry.field(description="Number of removed sentences that give instructions.")

    @classmethod
    def of(cls, source: records.Source, highlighter: Highlighter) -> Self:
        """Wrap a source."""
        hit = Hit.of(source.hit, highlighter)
        return cls(number=source.number, hit=hit, text=source.text, instructions=source.instructions)


@strawberry.type(description="Quote that occurs verbatim in a chunk.")
class AnswerCitation:
    """A citation."""

    number: int = strawberry.field(description="Number of the source; [number] marks it in the answer.")
    quote: str
    start: int = strawberry.field(description="Start of the quote in the text of the chunk, in characters.")
    end: int
    answer_start: int = strawberry.field(description="Start of [number] in the text of the answer.")
    answer_end: int
    claim_start: int = strawberry.field(description="Start of the cited sentence.")
    claim_end: int
    section_path: list[str] = strawberry.field(description="Headings above the quote, outermost first.")
    page: int | None
    url: str | None = strawberry.field(description="Address of the paper, if known.")
    file: str | None = strawberry.field(description="Name of the file that the paper was read from.")
    chunk_id: strawberry.ID
    paper_id: strawberry.ID
    paper_title: str

    @classmethod
    def of(cls, citation: records.AnswerCitation) -> Self:
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

    @strawberry.field(description="Rectangles of the quote on pages of a PDF, one per line.")
    async def regions(self, info: Info) -> list[Region]:
        found = await info.context.nodes.load(self.chunk_id)
        return (
            await read_regions(info, found, self.start, self.end) if isinstance(found, records_of_graph.Chunk) else []
        )

    @strawberry.field
    async def paper(self, info: Info) -> Paper | None:
        found = await info.context.nodes.load(self.paper_id)
        return None if found is None else Paper.of(found)  # type: ignore[arg-type]


@strawberry.type(description="Generated text that failed verification.")
class DroppedText:
    """A sentence or a citation."""

    text: str
    fault: Fault
    detail: str


@strawberry.type(description="Language model usage of all calls for a question.")
class ModelUsage:
    """Usage."""

    requests: int
    cached: int = strawberry.field(description="Calls answered from the cache, at no cost.")
    input_tokens: int
    output_tokens: int
    estimated_tokens: int = strawberry.field(description="Number of estimated tokens.")
    cost: float = strawberry.field(description="Cost in the currency of the configured prices.")

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


@strawberry.interface(name="Answered", description="Fields of answers and refusals.")
class Answered:
    """An answer or a refusal."""

    id: strawberry.ID
    question: str = strawberry.field(description="Question as it was searched for, completed from the history.")
    dropped: list[DroppedText] = strawberry.field(description="Generated text that failed verification.")
    usage: ModelUsage
    warnings: list[str] = strawberry.field(description="Warnings about degraded steps.")
    answerability: float | None = strawberry.field(
        description="Answerability: estimated probability that the passages hold an answer, 0 to 1."
    )
    found: strawberry.Private[Found]
    resources: strawberry.Private[Resources]

    @strawberry.field(description="Search behind the answer.")
    def search(self) -> SearchResult:
        return SearchResult(hits=wrapped(self.found, self.resources), found=self.found, resources=self.resources)


@strawberry.type(name="NamedAnswer", description="Rows of a named query over the graph.")
class NamedAnswer:
    """The rows."""

    query: str = strawberry.field(description="Name of the query.")
    parameters: JSON
    columns: list[str]
    rows: list[JSON] = strawberry.field(description="Values of each row, in the order of the columns.")


@strawberry.type(description="Answer with verified citations.")
class Answer(Answered):
    """An answer."""

    text: str = strawberry.field(description="Sentences, each with its citations [n].")
    citations: list[AnswerCitation]
    sources: list[AnswerSource]
    grounded: bool = strawberry.field(description="True if all generated text passed verification.")
    llm_generated: bool = strawberry.field(description="True if a language model wrote the answer.")
    model: str | None
    named_query: NamedAnswer | None = strawberry.field(
        description="Query over the graph, if it answered instead of passages."
    )


@strawberry.type(description="Refusal with its reason.")
class Refusal(Answered):
    """A refusal."""

    reason: Reason
    message: str
    nearest_evidence: list[AnswerSource] = strawberry.field(description="Nearest passages, best first.")


AskResult = Annotated[Answer | Refusal, strawberry.union("AskResult", description="Answer or refusal.")]


@strawberry.type(description="Sources of the answer; the first event.")
class SourcesEvent:
    """The sources."""

    sources: list[AnswerSource]


@strawberry.type(description="Next piece of the text; all pieces joined are the text.")
class DeltaEvent:
    """A piece of text."""

    seq: int
    text: str


@strawberry.type(description="Citation in the previous piece.")
class CitationEvent:
    """A citation."""

    seq: int
    citation: AnswerCitation


@strawberry.type(description="Answer or refusal; the last event.")
class DoneEvent:
    """The end."""

    result: AskResult


AnswerEvent = Annotated[
    SourcesEvent | DeltaEvent | CitationEvent | DoneEvent,
    strawberry.union("AnswerEvent", description="Events of an answer: sources, text and citations, end."),
]


async def ask(info: Info, asked: AskInput) -> Answer | Refusal:
    """Answer a question where the grant reaches."""
    context = info.context
    resources = context.service.resources
    pipelines = context.service.pipelines
    result = await answer_for(context.principal, resources, context.limits.spending, asked.asking(), pipelines)
    return _result(info, result, resources)


async def answer_events(info: Info, asked: AskInput) -> AsyncGenerator[AnswerEvent, None]:
    """Yield what an answer comes to, piece by piece."""
    context = info.context
    resources = context.service.resources
    seq = 0
    pipelines = context.service.pipelines
    async with aclosing(
        events_for(context.principal, resources, context.limits.spending, asked.asking(), pipelines)
    ) as events:
        async for event in events:
            match event:
                case records.SourcesEvent():
                    yield SourcesEvent(sources=_sources(info, event.sources, asked.question))
                case records.DeltaEvent():
                    seq += 1
                    yield DeltaEvent(seq=seq, text=event.text)
                case records.CitationEvent():
                    seq += 1
                    yield CitationEvent(seq=seq, citation=AnswerCitation.of(event.citation))
                case _:
                    yield DoneEvent(result=_result(info, event.result, resources))


def _result(info: Info, result: records.Answer | records.Refusal, resources: Resources) -> Answer | Refusal:
    shared: dict[str, Any] = {
        "id": strawberry.ID(result.id),
        "question": result.question,
        "dropped": [DroppedText(text=one.text, fault=one.fault, detail=one.detail) for one in result.dropped],
        "usage": ModelUsage.of(result.usage),
        "warnings": list(result.warnings),
        "answerability": _probability(result.answerability),
        "found": result.found,
        "resources": resources,
    }
    if isinstance(result, records.Refusal):
        nearest = _sources(info, result.nearest, result.question)
        return Refusal(reason=result.reason, message=result.message, nearest_evidence=nearest, **shared)
    return Answer(
        text=result.text,
        citations=[AnswerCitation.of(citation) for citation in result.citations],
        sources=_sources(info, result.sources, result.question),
        grounded=result.grounded,
        llm_generated=result.llm_generated,
        model=result.model,
        named_query=None if result.named is None else _named(result.named),
        **shared,
    )


def _named(named: records.NamedAnswer) -> NamedAnswer:
    return NamedAnswer(
        query=named.query,
        parameters=JSON(dict(named.parameters)),
        columns=list(named.columns),
        rows=[JSON(list(row)) for row in named.rows],
    )


def _probability(found: Answerability | None) -> float | None:
    return None if found is None else found.probability


def _sources(info: Info, sources: tuple[records.Source, ...], question: str) -> list[AnswerSource]:
    for node in nodes_of([source.hit for source in sources]):
        info.context.remember(node)
    highlighter = Highlighter(info.context.database, question)
    return [AnswerSource.of(source, highlighter) for source in sources]
