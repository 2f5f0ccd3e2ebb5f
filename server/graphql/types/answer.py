"""GraphQL types of answers, and of stored ones with their ratings."""

from collections.abc import AsyncGenerator, Sequence
from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar

import strawberry
from strawberry import Parent

from papergraph.errors import InputError
from schema.records import Chunk, Paper
from server.answers import records, stored
from server.answers.answerability import LEAST
from server.answers.quotes import Highlighter
from server.answers.records import Mode
from server.answers.request import DEFAULT_TOKENS, MOST_WAYS, AskRequest, Turn
from server.answers.stored import StoredSource, Verdict
from server.auth.access import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import field, interface_type, object_type, type_
from server.graphql.types.nodes import Region, read_regions
from server.graphql.types.search import FilterInput, Hit, Override, SearchResult, SelectionInput, nodes_of, wrapped
from server.operations.ask import answer_for, events_for
from server.retrieval import pipelines
from server.retrieval.filters import parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.request import SearchRequest
from server.retrieval.scope import Collections

# GraphQL types of answers: input, answer, refusal, and the events of a stream


T = TypeVar("T")

strawberry.enum(
    Mode,
    name="AnswerMode",
    description="Writer: a language model if available (auto), always one, or sentences of the papers (extractive).",
)


@strawberry.enum(name="TurnRole", description="Role in a conversation.")
class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


@strawberry.input(description="Earlier turn of a conversation.")
class TurnInput:
    """An earlier turn."""

    role: Role = strawberry.field(description="Who said it.")
    text: str = strawberry.field(description="What was said.")


@strawberry.input(description="Question and answer options.")
class AskInput:
    """A question."""

    question: str = strawberry.field(description="1 to 4000 characters.")
    k: int | None = strawberry.field(default=None, description="Number of passages to answer from, 1 to 100.")
    collection: str | None = strawberry.field(
        default=None, description="Collection to read; default: main, or the first that the key reaches."
    )
    collections: list[str] | None = strawberry.field(
        default=None, description="Collections to search together, at most 8, instead of one."
    )
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="Retrieval pipeline, by name.")
    overrides: list[Override] = strawberry.field(
        default_factory=list, description="Options of pipeline steps to override."
    )
    selection: SelectionInput | None = strawberry.field(default=None, description="As in a search.")
    filter: FilterInput | None = strawberry.field(default=None, description="Filter on papers and passages.")
    backfill: bool = strawberry.field(default=False, description="As in a search.")
    mode: Mode = strawberry.field(default=Mode.AUTO, description="Writer of the answer.")
    reader: Reader | None = strawberry.field(default=None, description="Default: the reader of the pipeline.")
    pipelines: list[str] | None = strawberry.field(
        default=None, description="Several pipelines instead of one: each answers, and the best answer is returned."
    )
    readers: list[Reader] | None = strawberry.field(
        default=None, description="Several readers instead of one, for each pipeline; at most 4 answers in all."
    )
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
    store: bool = strawberry.field(default=False, description="Store the answer; storedAnswer returns it by its id.")

    def asking(self, collections: Collections) -> AskRequest:
        """Return the question to collections as all interfaces have it.

        Raises:
            InputError: A value is out of its range.
        """
        return AskRequest(
            self.question,
            SearchRequest(
                pipeline=self.pipeline,
                collections=collections,
                k=self.k,
                overrides={override.option: override.value for override in self.overrides},
                selection=self.selection.step() if self.selection else None,
                filter=parse_filter(self.filter.data()) if self.filter else None,
                backfill=self.backfill,
            ),
            mode=self.mode,
            reader=self.reader,
            pipelines=_several(self.pipelines, "pipelines"),
            readers=_several(self.readers, "readers"),
            token_budget=self.token_budget,
            min_answerability=self.min_answerability,
            history=tuple(Turn(turn.role.value, turn.text) for turn in self.history),
            rewrite=self.rewrite,
            instructions=self.instructions,
            store=self.store,
        )


def _several(given: Sequence[T] | None, field: str) -> tuple[T, ...]:
    """Return what is given instead of one; nothing if nothing is given.

    Raises:
        InputError: The list is empty, or too long.
    """
    if given is not None and not 1 <= len(given) <= MOST_WAYS:
        raise InputError(f"There are {len(given)} {field}; pass 1 to {MOST_WAYS}.", field=field)
    return tuple(given or ())


@object_type(records.AnswerCitation)
class AnswerCitation:
    """A citation."""

    @field("The chunk; null if it was deleted meanwhile.")
    async def chunk(root: Parent[records.AnswerCitation], info: Info) -> Chunk | None:
        return await found_chunk(info, root.chunk_id)

    @field("Rectangles of the quote on pages of a PDF, one per line.")
    async def regions(root: Parent[records.AnswerCitation], info: Info) -> list[Region]:
        chunk = await found_chunk(info, root.chunk_id)
        return [] if chunk is None else await read_regions(info, chunk, root.start, root.end)

    @field("The paper; null if it was deleted meanwhile.")
    async def paper(root: Parent[records.AnswerCitation], info: Info) -> Paper | None:
        found = await info.context.nodes.load(root.paper_id)
        return found if isinstance(found, Paper) else None


async def found_chunk(info: Info, id: str) -> Chunk | None:
    """Return a chunk, None if it was deleted."""
    found = await info.context.nodes.load(id)
    return found if isinstance(found, Chunk) else None


AskArgument = Annotated[AskInput, strawberry.argument(description="The question and its options.")]


@type_(description="Passage as the reader receives it.")
class AnswerSource:
    """A source."""

    number: int = strawberry.field(description="Number of the source, [n] in the answer.")
    hit: Hit = strawberry.field(description="The passage as the search found it.")
    text: str = strawberry.field(description="Text without invisible characters and instructions.")
    instructions: int = strawberry.field(description="Number of removed sentences that give instructions.")

    @classmethod
    def of(cls, source: records.Source, highlighter: Highlighter) -> Self:
        """Wrap a source."""
        hit = Hit.of(source.hit, highlighter)
        return cls(number=source.number, hit=hit, text=source.text, instructions=source.instructions)


@interface_type(records.Answered)
class Answered:
    """An answer or a refusal."""

    @field("Search behind the answer.")
    def search(root: Parent[Any], info: Info) -> SearchResult:
        resources = info.context.service.resources
        return SearchResult(hits=wrapped(root.found, resources), found=root.found, resources=resources)


@object_type(records.Answer)
class Answer(Answered):
    """An answer."""

    @field("The passages that the answer was written from.")
    def sources(root: Parent[records.Answer], info: Info) -> list[AnswerSource]:
        return _sources(info, root.sources, root.question)


@object_type(records.Refusal)
class Refusal(Answered):
    """A refusal."""

    @field("Nearest passages, best first.")
    def nearest_evidence(root: Parent[records.Refusal], info: Info) -> list[AnswerSource]:
        return _sources(info, root.nearest, root.question)


AskResult = Annotated[records.Answer | records.Refusal, strawberry.union("AskResult", description="Answer or refusal.")]


@type_(description="Sources of the answer; the first event.")
class SourcesEvent:
    """The sources."""

    sources: list[AnswerSource] = strawberry.field(description="The passages, best first.")


@type_(description="Next piece of the text; all pieces joined are the text.")
class DeltaEvent:
    """A piece of text."""

    seq: int = strawberry.field(description="Number of the event, from 1.")
    text: str = strawberry.field(description="The piece of text.")


@type_(description="Citation in the previous piece.")
class CitationEvent:
    """A citation."""

    seq: int = strawberry.field(description="Number of the event, from 1.")
    citation: records.AnswerCitation = strawberry.field(description="The citation.")


@type_(description="Answer or refusal; the last event.")
class DoneEvent:
    """The end."""

    result: AskResult = strawberry.field(description="The whole answer, or the refusal.")


AnswerEvent = Annotated[
    SourcesEvent | DeltaEvent | CitationEvent | DoneEvent,
    strawberry.union("AnswerEvent", description="Events of an answer: sources, text and citations, end."),
]


async def ask(info: Info, asked: AskInput) -> records.Answer | records.Refusal:
    """Answer a question where the grant reaches."""
    context = info.context
    resources = context.service.resources
    asking = asked.asking(context.searched(asked.collection, asked.collections))
    pipelines = context.service.pipelines
    return await answer_for(context.principal, resources, context.limits.spending, asking, pipelines)


def events_of(info: Info, asked: AskInput) -> AsyncGenerator[records.Event, None]:
    """Return the events of an answer."""
    context = info.context
    asking = asked.asking(context.searched(asked.collection, asked.collections))
    service = context.service
    return events_for(context.principal, service.resources, context.limits.spending, asking, service.pipelines)


def event_type(info: Info, event: records.Event, seq: int, question: str) -> AnswerEvent:
    """Return the GraphQL type of an event of an answer."""
    match event:
        case records.SourcesEvent():
            return SourcesEvent(sources=_sources(info, event.sources, question))
        case records.DeltaEvent():
            return DeltaEvent(seq=seq, text=event.text)
        case records.CitationEvent():
            return CitationEvent(seq=seq, citation=event.citation)
        case _:
            return DoneEvent(result=event.result)


def _sources(info: Info, sources: tuple[records.Source, ...], question: str) -> list[AnswerSource]:
    for node in nodes_of([source.hit for source in sources]):
        info.context.remember(node)
    highlighter = Highlighter(info.context.database, question)
    return [AnswerSource.of(source, highlighter) for source in sources]


# GraphQL types of stored answers and their ratings


AnswerId = Annotated[strawberry.ID, strawberry.argument(description="Id of the answer.")]

strawberry.enum(Verdict, name="AnswerVerdict", description="Rating of an answer.")


@object_type(StoredSource)
class Source:
    """A passage of a stored answer."""

    @field("The passage; null if it is no longer in the graph.")
    async def chunk(root: Parent[StoredSource], info: Info) -> Chunk | None:
        return await found_chunk(info, root.chunk_id)


@object_type(stored.AnswerRating)
class AnswerRating:
    """A rating."""

    @field("True if the caller rated.")
    def is_mine(root: Parent[stored.AnswerRating], info: Info) -> bool:
        return root.rater == info.context.principal.id


@object_type(stored.StoredAnswer)
class StoredAnswer:
    """A stored answer."""

    @field("True if the caller asked and may delete it.")
    def is_mine(root: Parent[stored.StoredAnswer], info: Info) -> bool:
        caller = info.context.principal
        return root.asker == caller.id or KeyScope.ADMIN in caller.scopes
