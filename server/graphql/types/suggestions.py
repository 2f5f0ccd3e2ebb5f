"""GraphQL types of suggestions while a user types."""

from enum import StrEnum
from typing import Self

import strawberry

from server.graph import suggestions
from server.graphql.connections import Info
from server.graphql.derive import type_


@strawberry.enum(description="Type of a suggested node.")
class SuggestionLabel(StrEnum):
    """Label of a node that is suggested."""

    PAPER = "Paper"
    AUTHOR = "Author"
    ENTITY = "Entity"
    CLUSTER = "Cluster"


@type_(description="Node whose name has the typed words; offsets count characters (code points) from 0.")
class Suggestion:
    """A suggestion."""

    node_id: strawberry.ID = strawberry.field(description="Id of the node.")
    label: SuggestionLabel = strawberry.field(description="Type of the node.")
    text: str = strawberry.field(description="Title or name.")
    start: int = strawberry.field(description="First character of the typed words in the text.")
    end: int = strawberry.field(description="Character after the last one of the typed words.")

    @classmethod
    def of(cls, found: suggestions.Suggestion) -> Self:
        """Wrap a suggestion."""
        return cls(
            node_id=strawberry.ID(found.id),
            label=SuggestionLabel(found.label),
            text=found.text,
            start=found.start,
            end=found.end,
        )


async def read_suggestions(info: Info, text: str, collection: str, first: int) -> list[Suggestion]:
    """Return the suggestions for what was typed."""
    context = info.context
    found = await suggestions.suggest(
        context.database, text, collection=collection, first=first, collections=context.collections
    )
    return [Suggestion.of(one) for one in found]
