"""Routes that create, change, fill, edit, export and delete evidence tables; lists of them are made of endpoints."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from papergraph.schema.ids import COLLECTION
from papergraph.server.auth.operations import CHANGE, EXPORT
from papergraph.server.operations import tables as operations
from papergraph.server.operations.context import Context
from papergraph.server.rest.requests import RequestModel
from papergraph.server.tables.column import MOST_COLUMNS, Column

router = APIRouter()


class TableOf(RequestModel):
    """Evidence table."""

    table: str = Field(min_length=1, max_length=120)
    """Name or id of the table."""

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Collection of the table; default: main, or the first that the key reaches."""


class TableToChange(TableOf):
    """Evidence table and its new columns."""

    columns: list[Column] = Field(min_length=1, max_length=MOST_COLUMNS)
    """Columns in order; one that keeps its name keeps its cells, stale if it changed."""


class TableToRun(TableOf):
    """Evidence table to fill."""

    columns: list[Annotated[str, Field(max_length=80)]] = Field(default_factory=list, max_length=50)
    """Names of columns; default: all."""

    limit: int | None = Field(default=None, ge=1)
    """Most papers of this run."""


class TableToExport(TableOf):
    """Evidence table and the format of the file."""

    format: str = Field(default="xlsx", max_length=20)
    """xlsx, csv, md, tex or jsonld."""


@router.post("/tables", status_code=201, summary="Create an evidence table: papers by questions.")
@CHANGE
async def create_table(context: Context, wanted: operations.NewTable) -> operations.TableSummary:
    return await operations.create_table(context.database, context.principal, wanted)


@router.put("/tables/columns", summary="Replace the columns of an evidence table.")
@CHANGE
async def change_columns(context: Context, wanted: TableToChange) -> operations.TableSummary:
    return await operations.change_columns(
        context.database, context.principal, wanted.table, wanted.columns, collection=wanted.collection
    )


@router.post("/tables/run", summary="Open a job that fills missing and outdated cells of an evidence table.")
@CHANGE
async def run_table(context: Context, wanted: TableToRun) -> operations.TableRun:
    return await operations.queue_run(
        context.database,
        context.principal,
        wanted.table,
        columns=wanted.columns,
        limit=wanted.limit,
        collection=wanted.collection,
    )


@router.post("/tables/cells", summary="Set, accept, reject or reopen a cell of an evidence table.")
@CHANGE
async def edit_cell(context: Context, wanted: operations.CellEdit) -> operations.TableRow:
    return await operations.edit_cell(context.database, context.principal, wanted)


@router.get("/tables/export", response_class=Response, summary="Export an evidence table as a file.")
@EXPORT
async def export_table(context: Context, wanted: Annotated[TableToExport, Query()]) -> Response:
    made = await operations.export_table(
        context.database, context.principal, wanted.table, wanted.format, collection=wanted.collection
    )
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return Response(made.content, media_type=made.media_type, headers=headers)


@router.delete("/tables", summary="Delete an evidence table with its cells.")
@CHANGE
async def delete_table(context: Context, wanted: Annotated[TableOf, Query()]) -> operations.DeletedTable:
    return await operations.delete_table(
        context.database, context.principal, wanted.table, collection=wanted.collection
    )
