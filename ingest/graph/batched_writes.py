"""Rows into the graph in bounded statements and transactions, as long as the embedding model stays the one in use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph.batches import ROWS_PER_STATEMENT, Row
from papergraph.database import Database
from papergraph.errors import ModelChangedError
from papergraph.ingest.graph.writer import hold_model
from papergraph.neo4j_errors import Transaction
from papergraph.statement import Statement

STEPS_PER_TRANSACTION = 20
DEADLINE_S = 120.0


@dataclass(frozen=True)
class Step:
    """A statement with its parameters."""

    statement: Statement
    parameters: Mapping[str, Any]


def batches(statement: Statement, rows: Sequence[Row], *, size: Callable[[Row], int] = lambda row: 1) -> Iterator[Step]:
    """Yield the steps that write rows, of which each counts for ``size``, about 500 at a time."""
    batch: list[Row] = []
    total = 0
    for row in rows:
        if batch and total + size(row) > ROWS_PER_STATEMENT:
            yield Step(statement, {"rows": batch})
            batch, total = [], 0
        batch.append(row)
        total += size(row)
    if batch:
        yield Step(statement, {"rows": batch})


async def run_steps(database: Database, what: str, model_sha256: str, steps: Sequence[Step]) -> None:
    """Run steps in order, twenty in a transaction; doing it again changes nothing.

    Raises:
        ModelChangedError: Another embedding model came into use.
        DatabaseError: Neo4j failed; the steps of earlier transactions are done.
    """
    for start in range(0, len(steps), STEPS_PER_TRANSACTION):
        together = steps[start : start + STEPS_PER_TRANSACTION]

        async def work(transaction: Transaction, together: Sequence[Step] = together) -> None:
            model = await hold_model(transaction)
            if model.sha256 != model_sha256:
                raise ModelChangedError(active=model.identity)
            for step in together:
                statement = step.statement
                await transaction.run(statement, **step.parameters)

        await database.transact_until_known(what, work, deadline_s=DEADLINE_S)
