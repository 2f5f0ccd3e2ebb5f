"""GraphQL types of answers, and of stored ones with their ratings."""

from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Annotated, Any

import strawberry
from strawberry import Parent

from papergraph.schema.records import Chunk, Paper
from papergraph.server.answers import records, stored
from papergraph.server.answers.records import Mode
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.answers.stored import StoredSource, Verdict
from papergraph.server.auth.access import KeyScope
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import field, input_type, interface_type, object_type, read_input, type_
from papergraph.server.graphql.types.nodes import Region, read_regions
from papergraph.server.graphql.types.search import Override, SearchResult, nodes_of
from papergraph.server.operations.ask import answer_for, events_for

# GraphQL types of answers: input, answer, refusal, and the events of a stream


strawberry.enum(
    Mode,
    name="AnswerMode",
    description="Writer: a language model if available (auto), always one, or sentences of the papers (extractive).",
)


@strawberry.enum(name="TurnRole", description="Role in a conversation.")
class Role(StrEnum):
    """Speaker of a turn."""

    USER = "user"
    ASSISTANT = "assistant"


@input_type(Turn, role=Role)
class TurnInput: ...


@input_type(AskRequest, overrides=list[Override])
class AskInput:
    question: str


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


@object_type(records.Source, "AnswerSource")
class AnswerSource: ...


@interface_type(records.Answered)
class Answered:
    """An answer or a refusal."""

    @field("Search behind the answer.")
    def search(root: Parent[Any], info: Info) -> SearchResult:
        resources = info.context.service.resources
        return SearchResult(hits=list(root.found.hits), found=root.found, resources=resources)


@object_type(records.Answer)
class Answer(Answered):
    """An answer."""

    @field("The passages that the answer was written from.")
    def sources(root: Parent[records.Answer], info: Info) -> list[records.Source]:
        return _sources(info, root.sources)


@object_type(records.Refusal)
class Refusal(Answered):
    """A refusal."""

    @field("Nearest passages, best first.")
    def nearest_evidence(root: Parent[records.Refusal], info: Info) -> list[records.Source]:
        return _sources(info, root.nearest)


AskResult = Annotated[records.Answer | records.Refusal, strawberry.union("AskResult", description="Answer or refusal.")]


@type_(description="Sources of the answer; the first event.")
class SourcesEvent:
    """The sources."""

    sources: list[records.Source] = strawberry.field(description="The passages, best first.")


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
    """Answer a question over the collections of the principal."""
    context = info.context
    asking = read_input(AskRequest, asked)
    pipelines = context.service.pipelines
    return await answer_for(context.principal, context.resources, context.limits.spending, asking, pipelines)


def events_of(info: Info, asked: AskInput) -> AsyncGenerator[records.Event, None]:
    """Return the events of an answer."""
    context = info.context
    asking = read_input(AskRequest, asked)
    service = context.service
    return events_for(context.principal, context.resources, context.limits.spending, asking, service.pipelines)


def event_type(info: Info, event: records.Event, seq: int, question: str) -> AnswerEvent:
    """Return the GraphQL type of an event of an answer."""
    match event:
        case records.SourcesEvent():
            return SourcesEvent(sources=_sources(info, event.sources))
        case records.DeltaEvent():
            return DeltaEvent(seq=seq, text=event.text)
        case records.CitationEvent():
            return CitationEvent(seq=seq, citation=event.citation)
        case _:
            return DoneEvent(result=event.result)


def _sources(info: Info, sources: tuple[records.Source, ...]) -> list[records.Source]:
    for node in nodes_of([source.hit for source in sources]):
        info.context.remember(node)
    return list(sources)


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
        return root.rater == info.context.principal.account


@object_type(stored.StoredAnswer)
class StoredAnswer:
    """A stored answer."""

    @field("True if the caller asked and may delete it.")
    def is_mine(root: Parent[stored.StoredAnswer], info: Info) -> bool:
        caller = info.context.principal
        return root.principal == caller.id or KeyScope.ADMIN in caller.scopes
