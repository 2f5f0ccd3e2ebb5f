"""A statement of Cypher with its name, and the calls that a task makes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import papergraph.neo4j_import  # noqa: F401 - before the driver
from papergraph.records import Record, described

# isort: split
from neo4j import Record as DriverRecord

from papergraph.telemetry import metrics

CALL_OBSERVERS: ContextVar["list[CypherCall] | None"] = ContextVar("observers", default=None)
USER_QUERY = {"papergraph": "user query"}
"""Metadata of transactions with a query that somebody else wrote."""

MOST_SHOWN = 20
"""Items of a list that a trace shows."""


@dataclass(frozen=True)
class CypherCall(Record):
    """Cypher query that was run."""

    file: Annotated[str, described("File below cypher/, without .cypher.")]
    parameters: Annotated[Mapping[str, Any], described("Parameters; vectors and long lists as their length.")]
    ms: Annotated[float, described("Duration with all attempts, in milliseconds.")]
    records: Annotated[int, described("Number of returned records.")]


Calls = Sequence[CypherCall]


@contextmanager
def observed() -> Iterator[list[CypherCall]]:
    """Gather the statements that are run alone by this task, and by those that it starts, in the order they end."""
    calls: list[CypherCall] = []
    token = CALL_OBSERVERS.set(calls)
    try:
        yield calls
    finally:
        CALL_OBSERVERS.reset(token)


def elided(value: Any) -> Any:
    if isinstance(value, list) and len(value) > MOST_SHOWN:
        return f"[{len(value)} numbers]" if isinstance(value[0], float) else [*value[:3], f"… {len(value) - 3} more"]
    return value


VERSION = "CYPHER 25"
ROWS, FIRST = "rows", "first_rows"


@dataclass(frozen=True)
class Revises:
    """Papers that a statement changes (:mod:`papergraph.revisions`).

    Attributes:
        setting: Statement that sets the revision, of the parameters ``papers``, ``chunks`` and ``questions``, or of
            all papers.
        paths: Positions of the ids in the statement's parameters: one of these three kinds, the name of a parameter,
            and the names of fields in its items. Empty for all papers.
    """

    setting: "Statement"
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Statement:
    """Cypher text with its name for errors and logs.

    Attributes:
        name: Name in errors and logs.
        text: The query.
        is_file: True for a file in ``cypher/``.
        gathered: Expression of a result row, if all rows are sent as one record, which saves half of the time
            (docs/design/retrieval.md#rows). Callers get the same records.
        is_cut: True to return only ``first_rows`` rows, a parameter; needs ``gathered``.
        revises: Papers that get a revision with it, see :func:`papergraph.revisions.revised_by`.
    """

    name: str
    text: str
    is_file: bool = False
    gathered: tuple[str, ...] = ()
    is_cut: bool = False
    revises: Revises | None = None

    @cached_property
    def sent(self) -> str:
        """Text that is sent to Neo4j."""
        if not self.gathered:
            return self.text
        version, mark, query = self.text.partition(VERSION)
        cut = f"[..${FIRST}]" if self.is_cut else ""
        return f"{version}{mark}\nCALL () {{{query}\n}}\nRETURN collect([{', '.join(self.gathered)}]){cut} AS {ROWS}"

    @cached_property
    def beginning(self) -> "Statement":
        """The same of which only the first rows come: an index asked for many finds the nearest few more surely."""
        return replace(self, is_cut=True)

    def records(self, answered: list[DriverRecord]) -> list[DriverRecord]:
        """Return the query's own records of what Neo4j answered."""
        if not self.gathered:
            return answered
        return [DriverRecord(zip(self.gathered, row, strict=True)) for row in self.rows(answered)]  # type: ignore[no-untyped-call]

    def rows(self, answered: list[DriverRecord]) -> list[list[Any]]:
        """Return the values of the query's own records, in the order of what it returns, of what Neo4j answered."""
        rows: list[list[Any]] = answered[0][ROWS] if self.gathered else [record.values() for record in answered]
        return rows

    @property
    def told_as(self) -> str:
        """The name that metrics and traces call it by, out of a closed list."""
        return self.name if self.is_file else metrics.OTHER
