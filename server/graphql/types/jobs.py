"""GraphQL types of jobs, ingestions and enrichments."""

import functools
from collections.abc import AsyncIterator
from typing import Annotated

import strawberry
from strawberry import Parent

from papergraph.errors import Reason
from papergraph.ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment
from papergraph.ingest.jobs import model as job_model
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import JobKind, JobState, TaskState, WaitsFor
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.requests import read_request
from papergraph.server.auth.operations import ENRICH, ESTIMATE, READ
from papergraph.server.graph.lists import Entry
from papergraph.server.graph.nodes import check_first
from papergraph.server.graphql.connections import After, Connection, First, Info, page
from papergraph.server.graphql.context import PageKey
from papergraph.server.graphql.derive import field, input_data, input_type, mutation, object_type, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.graphql.types.collections import Collection
from papergraph.server.operations.enrich import EnrichEstimateRequest, EnrichRequest
from papergraph.server.operations.ingest import Chunking, IngestRequest
from papergraph.server.operations.pagination import place_after

PLACE = (int, str)

strawberry.enum(Reason, name="FailureReason", description="Reason why a document or an enrichment failed.")
strawberry.enum(JobState, description="State of a job; a paused job waits until it is resumed.")
strawberry.enum(JobKind, description="Kind of a job: documents to ingest, or papers to enrich.")
strawberry.enum(WaitsFor, description="Cause of the wait of a job; worker: no process works on jobs.")
strawberry.enum(
    TaskState,
    description="State of a document; stored: found by words, vectors follow; failed: the document is at fault; "
    "quarantined: too many attempts failed.",
)


@type_(description="Number of documents in a state.")
class StateCount:
    """Number of documents in a state."""

    state: TaskState = strawberry.field(description="The state.")
    n: int = strawberry.field(description="Number of documents.")


@type_(description="Number of running documents at a stage.")
class StageCount:
    """Number of documents at a stage."""

    stage: str = strawberry.field(description="Stage, as in Task.stage.")
    n: int = strawberry.field(description="Number of documents.")


@object_type(job_model.Task, reason=Reason | None)
class Task:
    """A document of a job."""


@object_type(job_model.Job)
class Job:
    """A job."""

    @field("Number of documents per state.")
    def states(root: Parent[job_model.Job]) -> list[StateCount]:
        return [StateCount(state=TaskState(state), n=n) for state, n in root.states.items()]

    @field("Number of running documents per stage.")
    def stages(root: Parent[job_model.Job]) -> list[StageCount]:
        return [StageCount(stage=stage, n=n) for stage, n in root.stages.items()]

    @field("Documents of the job, in order.")
    async def tasks(
        root: Parent[job_model.Job],
        info: Info,
        first: First = 20,
        after: After = None,
        states: Annotated[list[TaskState] | None, strawberry.argument(description="States to include.")] = None,
    ) -> Connection[job_model.Task]:
        wanted = tuple(TaskState) if states is None else tuple(dict.fromkeys(states))
        name = f"tasks of {root.id} {','.join(wanted)}"

        async def count() -> int:
            return sum(root.states.get(state, 0) for state in wanted)

        key = PageKey(root.id, place_after(after, name, PLACE), check_first(first) + 1)
        found = await info.context.tasks_in(wanted).load(key)
        entries = [Entry(task.shown(), task.place) for task in found]
        return page(name, entries, first=first, after=after, count=count)


JobResult = Annotated[
    job_model.Job | InvalidInput | NotFound | Conflict,
    strawberry.union("JobResult", description="The job, or the reason why there is none."),
]


async def read_jobs(info: Info, first: int, after: str | None) -> Connection[job_model.Job]:
    """Return a page of the jobs, the newest first."""
    database, reach, name = info.context.service.database, info.context.collections, "jobs"
    place = place_after(after, name, PLACE)
    found = await jobs.list_jobs(database, after=place, limit=check_first(first) + 1, collections=reach)
    entries = [Entry(job, job.place) for job in found]
    count = functools.partial(jobs.count_jobs, database, collections=reach)
    return page(name, entries, first=first, after=after, count=count)


async def job_progress(info: Info, id: str) -> AsyncIterator[job_model.Job]:
    """Yield a job after each progress until it is finished."""
    async for job in jobs.follow(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield job


async def job_events(info: Info, id: str) -> AsyncIterator[job_model.JobEvent]:
    """Yield a job with its documents that changed, each time that some did, until it is finished."""
    async for event in jobs.follow_tasks(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield event.shown()


# GraphQL fields of enrichments: which there are, what they would take, and jobs that make them


Names = Annotated[list[str], strawberry.argument(description="Names of enrichments, from the field enrichments.")]
NamesOrAll = Annotated[
    list[str], strawberry.argument(description="Names of enrichments, from the field enrichments; default: all.")
]


@type_()
class EnrichmentQueries:
    """Queries of enrichments."""

    @field("Enrichments that papers can be given, and what is missing.", READ)
    async def enrichments(self, info: Info) -> list[OfferedEnrichment] | None:
        return await info.context.enriching.offered()

    @field(
        "Estimate of enrichments: papers, chunks, and the largest number of requests to the language model.", ESTIMATE
    )
    async def enrichment_estimate(
        self,
        info: Info,
        enrichments: NamesOrAll = [],  # noqa: B006 never mutated
        collection: Collection = None,
    ) -> EnrichmentEstimate | None:
        context = info.context
        request = read_request(EnrichEstimateRequest, {"enrichments": enrichments, "collection": collection})
        return await context.enriching.estimate(context.principal, request)


@type_()
class EnrichmentMutations:
    """Mutations of enrichments."""

    @mutation("Queue a durable job that gives the papers of a collection the enrichments that they lack.", ENRICH)
    async def enrich(self, info: Info, enrichments: Names, collection: Collection = None) -> JobResult:
        async def opened() -> job_model.Job:
            context = info.context
            request = read_request(EnrichRequest, {"enrichments": enrichments, "collection": collection})
            return await context.enriching.open_job(context.principal, request)

        return await outcome(opened())


# GraphQL arguments of an ingestion, and the estimate of what it would take


Sources = Annotated[list[str], strawberry.argument(description="URLs and arxiv:ID; together with uploads, 1 to 100.")]
Uploads = Annotated[
    list[strawberry.ID], strawberry.argument(description="Ids of your uploads (REST: POST /v1/uploads).")
]
Parser = Annotated[
    str | None, strawberry.argument(description="Parser of PDF files: builtin, or the service of the server.")
]


@input_type(Chunking)
class ChunkingInput: ...


ChunkingArgument = Annotated[ChunkingInput | None, strawberry.argument(description="Chunker and its sizes.")]


@type_()
class IngestionQueries:
    """Queries about an ingestion."""

    @field("Estimate of an ingestion. A sample of the documents is parsed; nothing is written.", ESTIMATE)
    async def ingestion_estimate(
        self,
        info: Info,
        sources: Sources = [],  # noqa: B006 never mutated
        collection: Collection = None,
        uploads: Uploads = [],  # noqa: B006 never mutated
        chunking: ChunkingArgument = None,
        parser: Parser = None,
    ) -> IngestionEstimate | None:
        context = info.context
        embedder = context.service.resources.model.searched.embedder
        request = ingestion(sources, collection, uploads, chunking, parser)
        return await context.intake.estimate(context.principal, context.database, embedder, request)


def ingestion(
    sources: list[str],
    collection: str | None,
    uploads: list[strawberry.ID],
    chunking: ChunkingInput | None,
    parser: str | None,
    key: str | None = None,
) -> IngestRequest:
    """Return the request of an ingestion.

    Raises:
        InputError: A value is out of its limits; ``field`` names it.
    """
    values = {"sources": sources, "collection": collection, "uploads": uploads, "parser": parser, "idempotencyKey": key}
    return read_request(IngestRequest, values | {"chunking": input_data(chunking) if chunking else {}})
