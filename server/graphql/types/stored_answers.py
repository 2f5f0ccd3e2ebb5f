"""GraphQL types of stored answers and their ratings."""

from datetime import datetime
from typing import Annotated, Self

import strawberry
from strawberry import Parent

from schema.records import Chunk
from server.answers import stored
from server.answers.records import AnswerCitation, DroppedText, NamedAnswer, Reason
from server.answers.stored import StoredSource, Verdict, delete_answer, find_answer, rate_answer
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import field, object_type, type_
from server.graphql.types.answer import found_chunk
from server.operations.ask import asker_of

AnswerId = Annotated[strawberry.ID, strawberry.argument(description="Id of the answer.")]

strawberry.enum(Verdict, name="AnswerVerdict", description="Rating of an answer.")


@object_type(StoredSource)
class Source:
    """A passage of a stored answer."""

    @field("The passage; null if it is no longer in the graph.")
    async def chunk(root: Parent[StoredSource], info: Info) -> Chunk | None:
        return await found_chunk(info, root.chunk_id)


@type_(description="Rating of a stored answer by a reader.")
class AnswerRating:
    """A rating."""

    verdict: Verdict = strawberry.field(description="Good or bad.")
    comment: str = strawberry.field(description="Reason in words; may be empty.")
    rated_at: datetime = strawberry.field(description="Time of the rating.")
    is_mine: bool = strawberry.field(description="True if the caller rated.")


@type_(description="Answer or refusal as it was given and stored.")
class StoredAnswer:
    """A stored answer."""

    id: strawberry.ID = strawberry.field(description="Id of the answer.")
    collection: str = strawberry.field(description="Collection that was asked.")
    asked_at: datetime = strawberry.field(description="Time of the answer.")
    asked: str = strawberry.field(description="Question as it was asked.")
    question: str = strawberry.field(description="Question as it was searched for, completed from the history.")
    text: str | None = strawberry.field(description="Sentences, each with its citations [n]; null for a refusal.")
    citations: list[AnswerCitation] = strawberry.field(description="Citations of the text, in its order.")
    sources: list[StoredSource] = strawberry.field(description="Passages of the answer; of a refusal, the nearest.")
    dropped: list[DroppedText] = strawberry.field(description="Generated text that failed verification.")
    grounded: bool = strawberry.field(description="True if all generated text passed verification.")
    llm_generated: bool = strawberry.field(description="True if a language model wrote the answer.")
    model: str | None = strawberry.field(description="Name of the language model, if one wrote it.")
    warnings: list[str] = strawberry.field(description="Warnings about degraded steps.")
    answerability: float | None = strawberry.field(description="Answerability, 0 to 1.")
    reason: Reason | None = strawberry.field(description="Reason of a refusal.")
    message: str | None = strawberry.field(description="Reason of a refusal in words.")
    named_query: NamedAnswer | None = strawberry.field(
        description="Query over the graph, if it answered instead of passages."
    )
    ratings: list[AnswerRating] = strawberry.field(description="Ratings, the newest first, one per reader.")
    is_mine: bool = strawberry.field(description="True if the caller asked and may delete it.")

    @classmethod
    def of(cls, found: stored.StoredAnswer, info: Info) -> Self:
        """Wrap a stored answer for its reader."""
        caller = info.context.principal
        return cls(
            id=strawberry.ID(found.id),
            collection=found.collection,
            asked_at=found.asked_at,
            asked=found.asked,
            question=found.question,
            text=found.text,
            citations=list(found.citations),
            sources=list(found.sources),
            dropped=list(found.dropped),
            grounded=found.grounded,
            llm_generated=found.llm_generated,
            model=found.model,
            warnings=list(found.warnings),
            answerability=found.answerability,
            reason=found.reason,
            message=found.message,
            named_query=found.named,
            ratings=[
                AnswerRating(
                    verdict=one.verdict,
                    comment=one.comment,
                    rated_at=one.rated_at,
                    is_mine=one.rater == caller.id,
                )
                for one in found.ratings
            ],
            is_mine=found.asker == caller.id or KeyScope.ADMIN in caller.scopes,
        )


@type_(description="A stored answer that was deleted.")
class DeletedAnswer:
    """A deleted answer."""

    id: strawberry.ID = strawberry.field(description="Id of the answer.")


async def read_answer(info: Info, id: str) -> StoredAnswer:
    """Return a stored answer that the caller reaches."""
    context = info.context
    return StoredAnswer.of(await find_answer(context.database, id, collections=context.collections), info)


async def rated(info: Info, id: str, verdict: Verdict, comment: str) -> StoredAnswer:
    """Rate a stored answer as the caller."""
    context = info.context
    rater = context.principal.id
    found = await rate_answer(context.database, id, verdict, comment, rater=rater, collections=context.collections)
    return StoredAnswer.of(found, info)


async def deleted(info: Info, id: str) -> DeletedAnswer:
    """Delete a stored answer of the caller's; an administrator deletes any."""
    context = info.context
    await delete_answer(context.database, id, asker=asker_of(context.principal), collections=context.collections)
    return DeletedAnswer(id=strawberry.ID(id))
