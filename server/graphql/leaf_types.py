"""GraphQL types of the records that all interfaces answer with; the records themselves stand in annotations."""

from collections.abc import Mapping
from typing import Any, get_origin

import strawberry
from strawberry.scalars import JSON

from ingest.enrichments.summaries import SummaryGenerator
from ingest.graph.paper_sources import Provider
from schema import records as nodes
from server.answers.highlights import HighlightKind
from server.answers.records import AnswerCitation, Fault, Reason
from server.answers.stored import StoredSource
from server.graphql.connections import Info
from server.graphql.types.nodes import Chunk, Paper
from server.graphql.types.pages import Region, read_regions
from server.leaf_types import LEAF_TYPES, LeafField, in_api
from server.selection.result import Stage

strawberry.enum(Reason, name="RefusalReason", description="Reason of a refusal.")
strawberry.enum(Fault, name="AnswerFault", description="Reason why generated text was dropped.")
strawberry.enum(HighlightKind, description="What a span marks: a word of the query, or the best sentence.")
strawberry.enum(SummaryGenerator, description="Generator of a summary: a model, or the choice of sentences.")
strawberry.enum(Provider, name="FieldProvider", description="Who states a field of a paper, most trusted first.")
strawberry.enum(Stage, name="SelectionStage", description="Stage of the solver at the proof or at the deadline.")


async def _chunk(root: AnswerCitation | StoredSource, info: Info) -> Chunk | None:
    found = await info.context.nodes.load(root.chunk_id)
    return Chunk.of(found) if isinstance(found, nodes.Chunk) else None


async def _paper(root: AnswerCitation, info: Info) -> Paper | None:
    found = await info.context.nodes.load(root.paper_id)
    return Paper.of(found) if isinstance(found, nodes.Paper) else None


async def _regions(root: AnswerCitation, info: Info) -> list[Region]:
    found = await info.context.nodes.load(root.chunk_id)
    return await read_regions(info, found, root.start, root.end) if isinstance(found, nodes.Chunk) else []


FOLLOWED: Mapping[type, Mapping[str, Any]] = {
    AnswerCitation: {
        "chunk": strawberry.field(_chunk, description="The chunk; null if it was deleted meanwhile."),
        "regions": strawberry.field(_regions, description="Rectangles of the quote on pages of a PDF, one per line."),
        "paper": strawberry.field(_paper, description="The paper; null if it was deleted meanwhile."),
    },
    StoredSource: {
        "chunk": strawberry.field(_chunk, description="The passage; null if it is no longer in the graph."),
    },
}
"""What only GraphQL has: the nodes that a record names."""


def derive() -> None:
    """Make the records GraphQL types, so that a resolver returns them as they are."""
    for leaf in LEAF_TYPES:
        members: dict[str, Any] = {
            field.attribute: strawberry.field(
                name=None if field.name == field.attribute else _camel(field.name), description=field.description
            )
            for field in leaf.fields
        }
        members["__annotations__"] = {field.attribute: _type(field) for field in leaf.fields}
        made = type(leaf.name, (), members | dict(FOLLOWED.get(leaf.record, {})))
        derived: Any = strawberry.type(made, name=leaf.name, description=leaf.description)
        definition = derived.__strawberry_definition__
        definition.origin = leaf.record
        setattr(leaf.record, DEFINITION, definition)


DEFINITION = "__strawberry_definition__"
"""Where Strawberry looks for what a class is in GraphQL."""


def _type(field: LeafField) -> Any:
    def known(type: Any) -> Any:
        if type is Any or get_origin(type) is Mapping or type == tuple[Any, ...]:
            return JSON
        return strawberry.ID if field.is_id and type is str else None

    return in_api(field.type, known)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
