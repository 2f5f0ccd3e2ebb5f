"""What can be changed: papers brought in and deleted, jobs stopped and taken up again, questions reviewed.

What a caller can get wrong comes back as a value of the result's union; everything else is an error of the request.
"""

from collections.abc import Awaitable
from typing import Annotated, Self, TypeVar

import strawberry

from ingest import jobs
from ingest.layers.questions.review import Decision
from papergraph.errors import Code, PapergraphError
from schema.ids import DEFAULT_COLLECTION
from server import changes
from server.answering.scopes import set_scope
from server.graphql.jobs import Job
from server.graphql.types import Info

T = TypeVar("T")

strawberry.enum(Decision, description="What is decided of a question.")


@strawberry.interface(name="UserError", description="What was wrong with a call, in a way that its caller can mend.")
class Problem:
    """What a caller can mend."""

    message: str
    code: str = strawberry.field(description="The same codes that errors of a request have.")
    field: str | None = strawberry.field(description="The argument at fault.")

    @classmethod
    def of(cls, error: PapergraphError) -> Self:
        """Wrap an error."""
        return cls(message=str(error), code=error.code.value, field=getattr(error, "field", None))


@strawberry.type(description="An argument is not acceptable.")
class InvalidInput(Problem):
    """An argument is not acceptable."""


@strawberry.type(description="What is named is not there.")
class NotFound(Problem):
    """What is named is not there."""


@strawberry.type(description="It does not go with what was asked before.")
class Conflict(Problem):
    """It does not go with what was asked before."""


@strawberry.type(description="What a collection's papers are about.")
class CollectionScope:
    """A collection's scope."""

    collection: str
    scope: str | None


@strawberry.type(description="A paper that was deleted.")
class DeletedPaper:
    """A paper that was deleted."""

    id: strawberry.ID
    keys: list[str] = strawberry.field(description="Keys under which it was known.")


@strawberry.type(description="What a decision did.")
class ReviewedQuestion:
    """What a decision did."""

    decision: Decision
    original: str = strawberry.field(description="The question as it was made.")
    text: str | None = strawberry.field(description="As it was edited.")
    ids: list[strawberry.ID] = strawberry.field(description="Where in the collection it stands now, or stood.")


USER_ERRORS: dict[Code, type[InvalidInput | NotFound | Conflict]] = {
    Code.BAD_USER_INPUT: InvalidInput,
    Code.NOT_FOUND: NotFound,
    Code.CONFLICT: Conflict,
}
JobResult = Annotated[Job | InvalidInput | NotFound | Conflict, strawberry.union("JobResult")]
DeletePaperResult = Annotated[DeletedPaper | InvalidInput | NotFound | Conflict, strawberry.union("DeletePaperResult")]
ReviewResult = Annotated[ReviewedQuestion | InvalidInput | NotFound | Conflict, strawberry.union("ReviewResult")]
SetScopeResult = Annotated[CollectionScope | InvalidInput | NotFound | Conflict, strawberry.union("SetScopeResult")]
JobId = Annotated[str, strawberry.argument(description="A job's id, or its beginning.")]


@strawberry.type
class Mutation:
    """Everything that can be changed."""

    @strawberry.mutation(description="Bring papers in: a job, durable when this returns, that papergraph worker does.")
    async def ingest(
        self,
        info: Info,
        sources: Annotated[
            list[str], strawberry.argument(description="URLs and arxiv:ID; with the uploads, 1 to 100.")
        ] = [],  # noqa: B006 nobody changes it
        collection: str = DEFAULT_COLLECTION,
        idempotency_key: Annotated[
            str | None,
            strawberry.argument(description="A name for the call: sent again with it, it opens no second job."),
        ] = None,
        uploads: Annotated[
            list[strawberry.ID],
            strawberry.argument(description="Ids of your own uploads, which REST takes: POST /v1/uploads."),
        ] = [],  # noqa: B006 nobody changes it
    ) -> JobResult:
        service = info.context.service
        if service.intake is None:
            raise LookupError("a service that brings nothing in was given to a face that offers it")
        opening = service.intake.open_job(
            service.database,
            service.resources.model.searched.embedder,
            sources,
            uploads=uploads,
            collection=collection,
            collections=info.context.collections,
            asker=info.context.grant.id,
            key=idempotency_key,
        )
        return await _outcome(_job(opening))

    @strawberry.mutation(description="Begin nothing more of a job; what it has written stays.")
    async def cancel_job(self, info: Info, id: JobId) -> JobResult:
        return await _outcome(_job(_changed(info, id, jobs.cancel)))

    @strawberry.mutation(description="Queue what of a job was refused, given up or cancelled, or all of a paused one.")
    async def retry_job(self, info: Info, id: JobId) -> JobResult:
        return await _outcome(_job(_changed(info, id, jobs.retry)))

    @strawberry.mutation(description="Delete a paper with all that it has.")
    async def delete_paper(self, info: Info, id: strawberry.ID) -> DeletePaperResult:
        async def work() -> DeletedPaper:
            context = info.context
            paper = await changes.delete_paper(context.service.database, id, collections=context.collections)
            return DeletedPaper(id=id, keys=list(paper.keys))

        return await _outcome(work())

    @strawberry.mutation(description="Accept, edit or reject a question; it holds when questions are made again.")
    async def review_question(
        self,
        info: Info,
        id: strawberry.ID,
        decision: Decision,
        text: Annotated[str | None, strawberry.argument(description="The new text of an edited one.")] = None,
    ) -> ReviewResult:
        async def work() -> ReviewedQuestion:
            context = info.context
            done = await changes.review_question(
                context.service.resources, id, decision, text, collections=context.collections
            )
            return ReviewedQuestion(
                decision=done.decision,
                original=done.original,
                text=done.text,
                ids=[strawberry.ID(one) for one in done.ids],
            )

        return await _outcome(work())

    @strawberry.mutation(description="Say what a collection's papers are about; other questions are out of scope.")
    async def set_scope(
        self,
        info: Info,
        scope: Annotated[str | None, strawberry.argument(description="In words; null takes it back.")] = None,
        collection: Annotated[str, strawberry.argument(description="Its name.")] = DEFAULT_COLLECTION,
    ) -> SetScopeResult:
        async def work() -> CollectionScope:
            context = info.context
            text = await set_scope(context.service.database, collection, scope, collections=context.collections)
            return CollectionScope(collection=collection, scope=text)

        return await _outcome(work())


async def _job(found: Awaitable[jobs.Job]) -> Job:
    return Job.of(await found)


def _changed(info: Info, id: str, change: changes.Change) -> Awaitable[jobs.Job]:
    return changes.change_job(info.context.service.database, id, change, collections=info.context.collections)


async def _outcome(work: Awaitable[T]) -> T | InvalidInput | NotFound | Conflict:
    try:
        return await work
    except PapergraphError as error:
        if (kind := USER_ERRORS.get(error.code)) is None:
            raise
        return kind.of(error)
