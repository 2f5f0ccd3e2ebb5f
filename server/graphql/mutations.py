"""Mutations: ingest and delete papers, cancel and retry jobs, review questions.

What a caller can get wrong comes back as a value of the result's union; everything else is an error of the request.
"""

from collections.abc import Awaitable
from typing import Annotated

import strawberry

from ingest.enrichments.questions.review import Decision
from ingest.jobs import model as job_model
from ingest.jobs import queue as jobs
from server.answers.stored import Verdict
from server.answers.subject import set_subject
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.types.collections import CollectionMutations
from server.graphql.types.enrichments import EnrichmentMutations
from server.graphql.types.ingest_input import Chunking, ChunkingInput, Parser, Sources, Uploads
from server.graphql.types.invitations import InvitationMutations
from server.graphql.types.jobs import Job, JobResult
from server.graphql.types.judgements import JudgementMutations
from server.graphql.types.keys import KeyMutations
from server.graphql.types.managed_papers import ManagedPaperMutations
from server.graphql.types.stored_answers import AnswerId, DeletedAnswer, StoredAnswer, deleted, rated
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.operations import changes
from server.operations.ingest import IngestRequest

strawberry.enum(Decision, description="Decision about a question.")


@strawberry.type(description="Subject of the papers of a collection.")
class CollectionSubject:
    """A collection's scope."""

    collection: str = strawberry.field(description="Name of the collection.")
    subject: str | None = strawberry.field(description="The new subject; null for none.")


@strawberry.type(description="A paper that was deleted.")
class DeletedPaper:
    """A paper that was deleted."""

    paper_id: strawberry.ID = strawberry.field(description="Id that the paper had.")
    keys: list[str] = strawberry.field(description="Keys of the deleted paper.")


@strawberry.type(description="Effect of a decision.")
class ReviewedQuestion:
    """Effect of a decision."""

    decision: Decision = strawberry.field(description="The decision.")
    original: str = strawberry.field(description="Original text of the question.")
    text: str | None = strawberry.field(description="Edited text, if any.")
    ids: list[strawberry.ID] = strawberry.field(
        description="Ids of the question in the collection, or of the deleted ones."
    )


DeletePaperResult = Annotated[
    DeletedPaper | InvalidInput | NotFound | Conflict,
    strawberry.union("DeletePaperResult", description="The deleted paper, or the reason why none was deleted."),
]
ReviewResult = Annotated[
    ReviewedQuestion | InvalidInput | NotFound | Conflict,
    strawberry.union("ReviewResult", description="The decision, or the reason why it was not taken."),
]
SetSubjectResult = Annotated[
    CollectionSubject | InvalidInput | NotFound | Conflict,
    strawberry.union("SetSubjectResult", description="The subject, or the reason why it was not set."),
]
CollectionName = Annotated[
    str | None, strawberry.argument(description="Name of the collection; default: main, or the first of the key.")
]
RateAnswerResult = Annotated[
    StoredAnswer | InvalidInput | NotFound | Conflict,
    strawberry.union("RateAnswerResult", description="The rated answer, or the reason why it was not rated."),
]
DeleteAnswerResult = Annotated[
    DeletedAnswer | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteAnswerResult", description="The deleted answer, or the reason why none was deleted."),
]
INGEST = access(KeyScope.INGEST, queued=True)
ASK = access(KeyScope.ASK, queued=True)
PaperId = Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")]
JobPrefix = Annotated[strawberry.ID, strawberry.argument(description="Id of a job, or an unambiguous prefix of it.")]
JobId = Annotated[strawberry.ID, strawberry.argument(description="Id of a job, whole.")]


@strawberry.type
class Mutation(
    CollectionMutations,
    EnrichmentMutations,
    InvitationMutations,
    JudgementMutations,
    KeyMutations,
    ManagedPaperMutations,
):
    """Everything that can be changed."""

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Queue a durable ingestion job. A worker of the server, or `papergraph worker`, processes it.",
    )
    async def ingest(
        self,
        info: Info,
        sources: Sources = [],  # noqa: B006 nobody changes it
        collection: CollectionName = None,
        idempotency_key: Annotated[
            str | None,
            strawberry.argument(description="Idempotency key: a repeated call with it opens no second job."),
        ] = None,
        uploads: Uploads = [],  # noqa: B006 nobody changes it
        chunking: Chunking = None,
        parser: Parser = None,
    ) -> JobResult:
        service = info.context.service
        if service.intake is None:
            raise LookupError("a service that brings nothing in was given to a face that offers it")
        intake, into = service.intake, info.context.collection(collection)

        async def opened() -> job_model.Job:
            cut = (chunking or ChunkingInput()).options()
            return await intake.open_job(
                service.database,
                service.resources.model.searched.embedder,
                IngestRequest(sources, into, uploads, idempotency_key, cut, parser),
                collections=info.context.collections,
                asker=info.context.principal.id,
            )

        return await outcome(_job(opened()))

    @strawberry.mutation(metadata=INGEST.metadata, description="Cancel a job; written documents are kept.")
    async def cancel_job(self, info: Info, id: JobId) -> JobResult:
        return await outcome(_job(_changed(info, id, jobs.cancel)))

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Retry the failed, quarantined or cancelled documents of a job, or resume a paused job.",
    )
    async def retry_job(self, info: Info, id: JobId) -> JobResult:
        return await outcome(_job(_changed(info, id, jobs.retry)))

    @strawberry.mutation(metadata=INGEST.metadata, description="Delete a paper and its data.")
    async def delete_paper(self, info: Info, id: PaperId) -> DeletePaperResult:
        async def work() -> DeletedPaper:
            context = info.context
            paper = await changes.delete_paper(
                context.database, id, collections=context.collections, originals=context.service.originals
            )
            return DeletedPaper(paper_id=id, keys=list(paper.keys))

        return await outcome(work())

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Accept, edit or reject a question; the decision survives regeneration.",
    )
    async def review_question(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Id of the question.")],
        decision: Annotated[Decision, strawberry.argument(description="The decision.")],
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

        return await outcome(work())

    @strawberry.mutation(
        metadata=INGEST.metadata,
        description="Set the subject of a collection; questions outside it are refused.",
    )
    async def set_subject(
        self,
        info: Info,
        subject: Annotated[str | None, strawberry.argument(description="Subject as text; null removes it.")] = None,
        collection: CollectionName = None,
    ) -> SetSubjectResult:
        async def work() -> CollectionSubject:
            context, name = info.context, info.context.collection(collection)
            text = await set_subject(context.database, name, subject, collections=context.collections)
            return CollectionSubject(collection=name, subject=text)

        return await outcome(work())

    @strawberry.mutation(metadata=ASK.metadata, description="Rate a stored answer; the last rating of a reader counts.")
    async def rate_answer(
        self,
        info: Info,
        id: AnswerId,
        verdict: Annotated[Verdict, strawberry.argument(description="Good or bad.")],
        comment: Annotated[str, strawberry.argument(description="Reason in words, up to 1000 characters.")] = "",
    ) -> RateAnswerResult:
        return await outcome(rated(info, id, verdict, comment))

    @strawberry.mutation(
        metadata=ASK.metadata, description="Delete one's own stored answer; an administrator deletes any."
    )
    async def delete_answer(self, info: Info, id: AnswerId) -> DeleteAnswerResult:
        return await outcome(deleted(info, id))


async def _job(found: Awaitable[job_model.Job]) -> Job:
    return Job.of(await found)


def _changed(info: Info, id: str, change: changes.Change) -> Awaitable[job_model.Job]:
    return changes.change_job(info.context.service.database, id, change, collections=info.context.collections)
