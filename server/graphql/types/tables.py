"""GraphQL mutations of evidence tables; their lists are made of :mod:`papergraph.server.endpoints`."""

from typing import Annotated

import strawberry

from papergraph.requests import read_request
from papergraph.server.auth.operations import CHANGE
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import input_data, input_type, mutation, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.operations import tables as operations
from papergraph.server.tables.column import Column

strawberry.enum(operations.CellAction, description="What a person does with a cell.")


@input_type(Column)
class ColumnInput: ...


@input_type(operations.NewTable)
class NewTableInput: ...


@input_type(operations.CellEdit)
class CellEditInput: ...


TableResult = Annotated[
    operations.TableSummary | InvalidInput | NotFound | Conflict,
    strawberry.union("TableResult", description="The table, or the reason of the refusal."),
]
TableRunResult = Annotated[
    operations.TableRun | InvalidInput | NotFound | Conflict,
    strawberry.union("TableRunResult", description="The job, or the reason why none was opened."),
]
TableRowResult = Annotated[
    operations.TableRow | InvalidInput | NotFound | Conflict,
    strawberry.union("TableRowResult", description="The row of the cell, or the reason why it stays as it was."),
]
DeleteTableResult = Annotated[
    operations.DeletedTable | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteTableResult", description="The deleted table, or the reason of the refusal."),
]
Table = Annotated[str, strawberry.argument(description="Name or id of the table.")]
OfTable = Annotated[str | None, strawberry.argument(description="Collection of the table.")]


@type_()
class TableMutations:
    """Mutations of evidence tables."""

    @mutation("Create an evidence table: papers by questions.", CHANGE)
    async def create_table(
        self, info: Info, table: Annotated[NewTableInput, strawberry.argument(description="The table.")]
    ) -> TableResult:
        async def work() -> operations.TableSummary:
            wanted = read_request(operations.NewTable, input_data(table))
            return await operations.create_table(info.context.database, info.context.principal, wanted)

        return await outcome(work())

    @mutation("Replace the columns of an evidence table. A column that keeps its name keeps its cells.", CHANGE)
    async def change_table_columns(
        self,
        info: Info,
        table: Table,
        columns: Annotated[list[ColumnInput], strawberry.argument(description="Columns in order, at most 50.")],
        collection: OfTable = None,
    ) -> TableResult:
        context = info.context

        async def work() -> operations.TableSummary:
            wanted = [read_request(Column, input_data(one)) for one in columns]
            return await operations.change_columns(
                context.database, context.principal, table, wanted, collection=collection
            )

        return await outcome(work())

    @mutation("Open a job that fills missing and outdated cells of an evidence table.", CHANGE)
    async def run_table(
        self,
        info: Info,
        table: Table,
        columns: Annotated[list[str] | None, strawberry.argument(description="Names of columns.")] = None,
        limit: Annotated[int | None, strawberry.argument(description="Most papers of this run.")] = None,
        collection: OfTable = None,
    ) -> TableRunResult:
        context = info.context
        return await outcome(
            operations.queue_run(
                context.database,
                context.principal,
                table,
                columns=columns or (),
                limit=limit,
                collection=collection,
            )
        )

    @mutation("Set, accept, reject or reopen a cell of an evidence table.", CHANGE)
    async def edit_cell(
        self, info: Info, edit: Annotated[CellEditInput, strawberry.argument(description="The decision.")]
    ) -> TableRowResult:
        async def work() -> operations.TableRow:
            wanted = read_request(operations.CellEdit, input_data(edit))
            return await operations.edit_cell(info.context.database, info.context.principal, wanted)

        return await outcome(work())

    @mutation("Delete an evidence table with its cells.", CHANGE)
    async def delete_table(self, info: Info, table: Table, collection: OfTable = None) -> DeleteTableResult:
        context = info.context
        return await outcome(operations.delete_table(context.database, context.principal, table, collection=collection))
