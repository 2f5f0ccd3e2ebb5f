"""Routes that create, import, decide, export and delete screenings; lists of them are made of endpoints."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from papergraph.schema.ids import COLLECTION, ID
from papergraph.server.auth.operations import CHANGE, ENRICH, EXPORT
from papergraph.server.operations import screening as operations
from papergraph.server.operations import screening_files as files
from papergraph.server.operations.context import Context
from papergraph.server.rest.requests import RequestModel
from papergraph.server.screening.decisions import ScreeningStage

router = APIRouter()


class ScreeningOf(RequestModel):
    """Screening."""

    screening: str = Field(min_length=1, max_length=120)
    """Name or id of the screening."""

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Collection of the screening; default: main, or the first that the key reaches."""


class ResultsToImport(ScreeningOf):
    """Uploaded file of search results."""

    source: str = Field(min_length=1, max_length=120)
    """Database that was searched."""

    upload: str = Field(pattern=f"^{ID.pattern}$")
    """Id of the uploaded file: RIS, NBIB, EndNote, BibTeX, CSV or CSL-JSON."""


class RecordsToJoin(ScreeningOf):
    """Records that are one work, or are not."""

    record: str = Field(pattern=f"^{ID.pattern}$")
    """Id of the record."""

    kept: str | None = Field(default=None, pattern=f"^{ID.pattern}$")
    """Id of the record that it repeats; null if it repeats none."""


class RecordsToIngest(ScreeningOf):
    """Included records to make papers of."""

    stage: ScreeningStage = ScreeningStage.TEXT
    """ScreeningStage at which they were included: abstract or text."""


class ScreeningToExport(ScreeningOf):
    """Screening and the format of the file."""

    format: str = Field(default="csv", max_length=20)
    """csv: all records; json: included ones as CSL-JSON; svg, mmd: the diagram of PRISMA."""


@router.post("/screenings", status_code=201, summary="Create a screening of search results.")
@CHANGE
async def create_screening(context: Context, wanted: operations.NewScreening) -> operations.ScreeningSummary:
    return await operations.create_screening(context.database, context.principal, wanted)


@router.post("/screenings/import", summary="Import an uploaded file of search results, and find duplicates.")
@ENRICH
async def import_results(context: Context, wanted: ResultsToImport) -> files.ScreeningImport:
    return await files.import_upload(
        context.database,
        context.principal,
        context.intake,
        context.service.resources.model.searched.embedder,
        files.UploadedResults(wanted.screening, wanted.source, wanted.upload, wanted.collection),
    )


@router.post("/screenings/decisions", summary="Include or exclude a record of a screening, or withdraw a decision.")
@CHANGE
async def decide_record(context: Context, wanted: operations.RecordDecision) -> operations.Candidate:
    embedder = context.service.resources.model.searched.embedder
    return await operations.decide_record(context.database, context.principal, wanted, embedder)


@router.post("/screenings/duplicates", summary="Let a record of a screening repeat another one, or none.")
@CHANGE
async def join_records(context: Context, wanted: RecordsToJoin) -> operations.ScreeningSummary:
    return await files.join_records(
        context.database,
        context.principal,
        wanted.screening,
        record=wanted.record,
        kept=wanted.kept,
        collection=wanted.collection,
    )


@router.post("/screenings/papers", summary="Make papers of the included records of a screening, as a job.")
@CHANGE
async def ingest_included(context: Context, wanted: RecordsToIngest) -> files.ScreeningPapers:
    return await files.ingest_included(
        context.database,
        context.service.resources.model.searched.embedder,
        context.intake,
        context.principal,
        wanted.screening,
        stage=wanted.stage,
        collection=wanted.collection,
    )


@router.get("/screenings/export", response_class=Response, summary="Export the records or the diagram of a screening.")
@EXPORT
async def export_screening(context: Context, wanted: Annotated[ScreeningToExport, Query()]) -> Response:
    made = await files.export_screening(
        context.database, context.principal, wanted.screening, wanted.format, collection=wanted.collection
    )
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return Response(made.content, media_type=made.media_type, headers=headers)


@router.delete("/screenings", summary="Delete a screening with its records and decisions.")
@CHANGE
async def delete_screening(context: Context, wanted: Annotated[ScreeningOf, Query()]) -> operations.DeletedScreening:
    return await operations.delete_screening(
        context.database, context.principal, wanted.screening, collection=wanted.collection
    )
