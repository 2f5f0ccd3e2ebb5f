"""Mutations: ingest and delete papers, cancel and retry jobs, review questions.

What a caller can get wrong comes back as a value of the result's union; everything else is an error of the request.
"""

from collections.abc import Awaitable
from typing import Annotated, Self, TypeVar

import strawberry

from ingest.enrichments.questions.review import Decision
from ingest.jobs import model as job_model
from ingest.jobs import queue as jobs
from papergraph.errors import Code, PapergraphError
from schema.ids import DEFAULT_COLLECTION
from server.answers.subject import set_subject
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.types.jobs import Job
from server.operations import changes
from server.operations.ingest import IngestRequest

T = TypeVar("T")

strawberry.enum(Decision, description="Decision about a question.")


@strawberry.interface(name="UserError", description="An error that the caller can correct.")
class Problem:
    """What a caller can mend."""

    message: str
    code: str = strawberry.field(description="Error code, one of those of request errors.")
    field: str | None = strawberry.field(description="Invalid argument.")

    @classmethod
    def of(cls, error: PapergraphError) -> Self:
        """Wrap an error."""
        return cls(message=str(error), code=error.code.value, field=getattr(error, "field", None))


@strawberry.type(description="An argument is not valid.")
class InvalidInput(Problem):
    """An argument is not valid."""


@strawberry.type(description="The named object does not exist.")
class NotFound(Problem):
    """The named object does not exist."""


@strawberry.type(description="The call conflicts with an earlier one, or with the current state.")
class Conflict(Problem):
    """The call conflicts with an earlier one, or with the current state."""


@strawberry.type(description="Subject of the papers of a collection.")
class CollectionSubject:
    """A collection's scope."""

    collection: str
    subject: str | None


@strawberry.type(description="A paper that was deleted.")
class DeletedPaper:
    """A paper that was deleted."""

    paper_id: strawberry.ID
    keys: list[str] = strawberry.field(description="Keys of the deleted paper.")


@strawberry.type(description="Effect of a decision.")
class ReviewedQuestion:
    """Effect of a decision."""

    decision: Decision
    original: str = strawberry.field(description="Original text of the question.")
    text: str | None = strawberry.field(description="Edited text, if any.")
    ids: list[strawberry.ID] = strawberry.field(
        description="Ids of the question in the collection, or of the deleted ones."
    )


USER_ERRORS: dict[Code, type[InvalidInput | NotFound | Conflict]] = {
    Code.BAD_USER_INPUT: InvalidInput,
    Code.NOT_FOUND: NotFound,
    Code.CONFLICT: Conflict,
}
JobResult = Annotated[Job | InvalidInput | NotFound | Conflict, strawberry.union("JobResult")]
DeletePaperResult = Annotated[DeletedPaper | InvalidInput | NotFound | Conflict, strawberry.union("DeletePaperResult")]
ReviewResult = Annotated[ReviewedQuestion | InvalidInput | NotFound | Conflict, strawberry.union("ReviewResult")]
SetSubjectResult = Annotated[
    CollectionSubject | InvalidInput | NotFound | Conflict, strawberry.union("SetSubjectResult")
]
INGEST = access(KeyScope.INGEST, queued=True)
JobId = Annotated[str, strawberry.argument(description="Id of a job, whole.")]


@strawberry.type
class Mutation:
    """Everything that can be changed."""

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Queue a durable ingestion job. A worker of the server, or `papergraph worker`, processes it.",
    )
    async def ingest(
        self,
        info: Info,
        sources: Annotated[
            list[str], strawberry.argument(description="URLs and arxiv:ID; together with uploads, 1 to 100.")
        ] = [],  # noqa: B006 nobody changes it
        collection: str = DEFAULT_COLLECTION,
        idempotency_key: Annotated[
            str | None,
            strawberry.argument(description="Idempotency key: a repeated call with it opens no second job."),
        ] = None,
        uploads: Annotated[
            list[strawberry.ID],
            strawberry.argument(description="Ids of your uploads (REST: POST /v1/uploads)."),
        ] = [],  # noqa: B006 nobody changes it
    ) -> JobResult:
        service = info.context.service
        if service.intake is None:
            raise LookupError("a service that brings nothing in was given to a face that offers it")
        opening = service.intake.open_job(
            service.database,
            service.resources.model.searched.embedder,
            IngestRequest(sources, collection, uploads, idempotency_key),
            collections=info.context.collections,
            asker=info.context.principal.id,
        )
        return await _outcome(_job(opening))

    @strawberry.mutation(metadata=INGEST.metadata, description="Cancel a job; written documents are kept.")
    async def cancel_job(self, info: Info, id: JobId) -> JobResult:
        return await _outcome(_job(_changed(info, id, jobs.cancel)))

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Retry the failed, quarantined or cancelled documents of a job, or resume a paused job.",
    )
    async def retry_job(self, info: Info, id: JobId) -> JobResult:
        return await _outcome(_job(_changed(info, id, jobs.retry)))

    @strawberry.mutation(metadata=INGEST.metadata, description="Delete a paper and its data.")
    async def delete_paper(self, info: Info, id: strawberry.ID) -> DeletePaperResult:
        async def work() -> DeletedPaper:
            context = info.context
            paper = await changes.delete_paper(
                context.database, id, collections=context.collections, originals=context.service.originals
            )
            return DeletedPaper(paper_id=id, keys=list(paper.keys))

        return await _outcome(work())

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Accept, edit or reject a question; the decision survives regeneration.",
    )
    async def review_question(
        self,
        info: Info,
        id: strawberry.ID,
        decision: Decision,
        text: Annotated[str | None, strawberry.argument(description="New text, for an edit.")] = None,
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

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Set the subject of a collection; questions outside it are refused.",
    )
    async def set_subject(
        self,
        info: Info,
        subject: Annotated[str | None, strawberry.argument(description="Subject as text; null removes it.")] = None,
        collection: Annotated[str, strawberry.argument(description="Name of the collection.")] = DEFAULT_COLLECTION,
    ) -> SetSubjectResult:
        async def work() -> CollectionSubject:
            context = info.context
            text = await set_subject(context.service.database, collection, subject, collections=context.collections)
            return CollectionSubject(collection=collection, subject=text)

        return await _outcome(work())


async def _job(found: Awaitable[job_model.Job]) -> Job:
    return Job.of(await found)


def _changed(info: Info, id: str, change: changes.Change) -> Awaitable[job_model.Job]:
    return changes.change_job(info.context.service.database, id, change, collections=info.context.collections)


async def _outcome(work: Awaitable[T]) -> T | InvalidInput | NotFound | Conflict:
    try:
        return await work
    except PapergraphError as error:
        if (kind := USER_ERRORS.get(error.code)) is None:
            raise
        return kind.of(error)
