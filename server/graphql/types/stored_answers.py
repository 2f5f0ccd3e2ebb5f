"""GraphQL types of stored answers and their ratings."""

from typing import Annotated

import strawberry
from strawberry import Parent

from schema.records import Chunk
from server.answers import stored
from server.answers.stored import StoredSource, Verdict
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import field, object_type
from server.graphql.types.answer import found_chunk

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
