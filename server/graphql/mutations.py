"""Mutations and subscriptions."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from typing import Annotated

import strawberry

from papergraph.ingest.enrichments.questions.review import Decision, ReviewedQuestion
from papergraph.ingest.jobs import model as job_model
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, JobEvent
from papergraph.server.answers.follow_up import set_subject
from papergraph.server.answers.records import CitationEvent, DeltaEvent
from papergraph.server.answers.stored import DeletedAnswer, StoredAnswer, Verdict, delete_answer, rate_answer
from papergraph.server.auth.operations import ANSWER, CHANGE, FOLLOW_JOB, RATE
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import mutation, subscription, type_
from papergraph.server.graphql.types import answer as answering
from papergraph.server.graphql.types.answer import AnswerEvent, AnswerId, AskArgument
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.graphql.types.collections import CollectionMutations
from papergraph.server.graphql.types.inbox import InboxMutations
from papergraph.server.graphql.types.jobs import (
    ChunkingArgument,
    EnrichmentMutations,
    JobResult,
    Parser,
    Sources,
    Uploads,
    ingestion,
    job_events,
    job_progress,
)
from papergraph.server.graphql.types.keys import InvitationMutations, KeyMutations
from papergraph.server.graphql.types.papers import ManagedPaperMutations
from papergraph.server.graphql.types.screening import ScreeningMutations
from papergraph.server.graphql.types.tables import TableMutations
from papergraph.server.graphql.types.zotero import ZoteroMutations
from papergraph.server.operations import changes
from papergraph.server.operations.ask import required_owner
from papergraph.server.operations.changes import DeletedPaper

# Mutations: ingest and delete papers, cancel and retry jobs, review questions.
#
# Errors that a caller can correct are values of the result's union; all others are errors of the request.


strawberry.enum(Decision, description="Decision about a question.")


@type_(description="Subject of the papers of a collection.")
class CollectionSubject:
    """A collection's scope."""

    collection: str = strawberry.field(description="Name of the collection.")
    subject: str | None = strawberry.field(description="The new subject; null for none.")


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
PaperId = Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")]
JobPrefix = Annotated[strawberry.ID, strawberry.argument(description="Id of a job, or an unambiguous prefix of it.")]
JobId = Annotated[strawberry.ID, strawberry.argument(description="Id of a job, whole.")]


@type_()
class Mutation(
    CollectionMutations,
    EnrichmentMutations,
    InboxMutations,
    InvitationMutations,
    KeyMutations,
    ManagedPaperMutations,
    TableMutations,
    ZoteroMutations,
    ScreeningMutations,
):
    """Everything that can be changed."""

    @mutation("Queue a durable ingestion job. A worker of the server, or `papergraph worker`, processes it.", CHANGE)
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
        chunking: ChunkingArgument = None,
        parser: Parser = None,
    ) -> JobResult:
        service = info.context.service
        if service.intake is None:
            raise LookupError("a service that brings nothing in was given to a face that offers it")
        intake, principal = service.intake, info.context.principal

        async def opened() -> job_model.Job:
            request = ingestion(sources, collection, uploads, chunking, parser, idempotency_key)
            return await intake.open_job(
                principal, service.database, service.resources.model.searched.embedder, request
            )

        return await outcome(opened())

    @mutation("Cancel a job; written documents are kept.", CHANGE)
    async def cancel_job(self, info: Info, id: JobId) -> JobResult:
        return await outcome(_changed(info, id, jobs.cancel))

    @mutation("Retry the failed, quarantined or cancelled documents of a job, or resume a paused job.", CHANGE)
    async def retry_job(self, info: Info, id: JobId) -> JobResult:
        return await outcome(_changed(info, id, jobs.retry))

    @mutation("Delete a paper and its data.", CHANGE)
    async def delete_paper(self, info: Info, id: PaperId) -> DeletePaperResult:
        async def work() -> DeletedPaper:
            context = info.context
            return await changes.delete_paper(
                context.database, id, collections=context.collections, originals=context.service.originals
            )

        return await outcome(work())

    @mutation("Accept, edit or reject a question; the decision survives regeneration.", CHANGE)
    async def review_question(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Id of the question.")],
        decision: Annotated[Decision, strawberry.argument(description="The decision.")],
        text: Annotated[str | None, strawberry.argument(description="New text, for an edit.")] = None,
    ) -> ReviewResult:
        async def work() -> ReviewedQuestion:
            context = info.context
            return await changes.review_question(
                context.service.resources, id, decision, text, collections=context.collections
            )

        return await outcome(work())

    @mutation("Set the subject of a collection; questions outside it are refused.", CHANGE)
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

    @mutation("Rate a stored answer; the last rating of a reader counts.", RATE)
    async def rate_answer(
        self,
        info: Info,
        id: AnswerId,
        verdict: Annotated[Verdict, strawberry.argument(description="Good or bad.")],
        comment: Annotated[str, strawberry.argument(description="Reason in words, up to 1000 characters.")] = "",
    ) -> RateAnswerResult:
        context = info.context
        rater, reached = context.principal.account, context.collections
        return await outcome(rate_answer(context.database, id, verdict, comment, rater=rater, collections=reached))

    @mutation("Delete one's own stored answer; an administrator deletes any.", RATE)
    async def delete_answer(self, info: Info, id: AnswerId) -> DeleteAnswerResult:
        context = info.context
        principal, reached = required_owner(context.principal), context.collections
        return await outcome(delete_answer(context.database, id, principal=principal, collections=reached))


def _changed(info: Info, id: str, change: changes.Change) -> Awaitable[job_model.Job]:
    return changes.change_job(info.context.service.database, id, change, collections=info.context.collections)


# Subscriptions: the progress of a job, and an answer as a stream


@strawberry.type
class Subscription:
    """Subscriptions."""

    @subscription("The job after each progress, until it is finished.", FOLLOW_JOB)
    async def job_progress(self, info: Info, id: JobPrefix) -> AsyncIterator[Job]:
        async for job in job_progress(info, id):
            yield job

    @subscription("The job and its documents after each of their changes, until it is finished.", FOLLOW_JOB)
    async def job_events(self, info: Info, id: JobPrefix) -> AsyncIterator[JobEvent]:
        async for event in job_events(info, id):
            yield event

    @subscription("Answer as a stream: sources, then text and citations, then the end.", ANSWER)
    async def answer(self, info: Info, input: AskArgument) -> AsyncIterator[AnswerEvent]:
        seq = 0
        async with aclosing(answering.events_of(info, input)) as events:
            async for event in events:
                seq += isinstance(event, DeltaEvent | CitationEvent)
                yield answering.event_type(info, event, seq, input.question)
