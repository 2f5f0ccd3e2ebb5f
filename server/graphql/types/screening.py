"""GraphQL mutations of screenings; their lists are made of :mod:`papergraph.server.endpoints`."""

from typing import Annotated

import strawberry

from papergraph.requests import read_request
from papergraph.server.auth.operations import CHANGE, ENRICH
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import input_data, input_type, mutation, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.operations import screening as operations
from papergraph.server.operations import screening_files as files
from papergraph.server.screening import decisions

strawberry.enum(decisions.ScreeningStage, description="Stage of screening.")
strawberry.enum(decisions.ScreeningVerdict, description="Decision of a rater.")
strawberry.enum(decisions.ScreeningState, description="State of a record at a stage.")
strawberry.enum(operations.ScreeningOrder, description="Order of open records.")


@input_type(operations.NewScreening)
class NewScreeningInput: ...


@input_type(operations.RecordDecision)
class RecordDecisionInput: ...


ScreeningResult = Annotated[
    operations.ScreeningSummary | InvalidInput | NotFound | Conflict,
    strawberry.union("ScreeningResult", description="The screening, or the reason of the refusal."),
]
ScreeningImportResult = Annotated[
    files.ScreeningImport | InvalidInput | NotFound | Conflict,
    strawberry.union("ScreeningImportResult", description="What was imported, or the reason of the refusal."),
]
CandidateResult = Annotated[
    operations.Candidate | InvalidInput | NotFound | Conflict,
    strawberry.union("CandidateResult", description="The record, or the reason why nothing was decided."),
]
ScreeningPapersResult = Annotated[
    files.ScreeningPapers | InvalidInput | NotFound | Conflict,
    strawberry.union("ScreeningPapersResult", description="The job, or the reason why none was opened."),
]
DeleteScreeningResult = Annotated[
    operations.DeletedScreening | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteScreeningResult", description="The deleted screening, or the reason of the refusal."),
]
Name = Annotated[str, strawberry.argument(description="Name or id of the screening.")]
OfScreening = Annotated[str | None, strawberry.argument(description="Collection of the screening.")]


@type_()
class ScreeningMutations:
    """Mutations of screenings."""

    @mutation("Create a screening of search results.", CHANGE)
    async def create_screening(
        self, info: Info, screening: Annotated[NewScreeningInput, strawberry.argument(description="The screening.")]
    ) -> ScreeningResult:
        async def work() -> operations.ScreeningSummary:
            wanted = read_request(operations.NewScreening, input_data(screening))
            return await operations.create_screening(info.context.database, info.context.principal, wanted)

        return await outcome(work())

    @mutation("Import an uploaded file of search results, and find duplicates.", ENRICH)
    async def import_screening(
        self,
        info: Info,
        screening: Name,
        source: Annotated[str, strawberry.argument(description="Database that was searched.")],
        upload: Annotated[strawberry.ID, strawberry.argument(description="Id of the uploaded file.")],
        collection: OfScreening = None,
    ) -> ScreeningImportResult:
        context = info.context

        async def work() -> files.ScreeningImport:
            return await files.import_upload(
                context.database,
                context.principal,
                context.intake,
                context.service.resources.model.searched.embedder,
                files.UploadedResults(screening, source, upload, collection),
            )

        return await outcome(work())

    @mutation("Include or exclude a record of a screening, or withdraw a decision.", CHANGE)
    async def decide_screening(
        self, info: Info, decision: Annotated[RecordDecisionInput, strawberry.argument(description="The decision.")]
    ) -> CandidateResult:
        async def work() -> operations.Candidate:
            context = info.context
            embedder = context.service.resources.model.searched.embedder
            wanted = read_request(operations.RecordDecision, input_data(decision))
            return await operations.decide_record(context.database, context.principal, wanted, embedder)

        return await outcome(work())

    @mutation("Let a record of a screening repeat another one, or none.", CHANGE)
    async def join_screening_records(
        self,
        info: Info,
        screening: Name,
        record: Annotated[strawberry.ID, strawberry.argument(description="Id of the record.")],
        kept: Annotated[
            strawberry.ID | None, strawberry.argument(description="Id of the record that it repeats; null for none.")
        ] = None,
        collection: OfScreening = None,
    ) -> ScreeningResult:
        context = info.context
        return await outcome(
            files.join_records(
                context.database, context.principal, screening, record=record, kept=kept, collection=collection
            )
        )

    @mutation("Make papers of the included records of a screening, as a job.", CHANGE)
    async def ingest_screening(
        self,
        info: Info,
        screening: Name,
        stage: Annotated[
            decisions.ScreeningStage, strawberry.argument(description="ScreeningStage at which they were included.")
        ] = decisions.ScreeningStage.TEXT,
        collection: OfScreening = None,
    ) -> ScreeningPapersResult:
        context = info.context

        async def work() -> files.ScreeningPapers:
            return await files.ingest_included(
                context.database,
                context.service.resources.model.searched.embedder,
                context.intake,
                context.principal,
                screening,
                stage=stage,
                collection=collection,
            )

        return await outcome(work())

    @mutation("Delete a screening with its records and decisions.", CHANGE)
    async def delete_screening(
        self, info: Info, screening: Name, collection: OfScreening = None
    ) -> DeleteScreeningResult:
        context = info.context
        return await outcome(
            operations.delete_screening(context.database, context.principal, screening, collection=collection)
        )
