"""The query library: questions that researchers ask of the graph, each a Cypher file below ``cypher/explore``.

A question is data here: what it answers, what it can be asked with, what it gives, and its text, which Neo4j Browser
takes as it is. :func:`run` is the one way in which any of them is asked by this program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.records import Record, described
from papergraph.schema.embedding_models import stored_models
from papergraph.server.graph.values import Rows, columns_of
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

FOLDER = "explore/"


@dataclass(frozen=True)
class QueryParameter(Record):
    """Parameter of a named query."""

    name: Annotated[str, described("Name of the parameter.")]
    type: Annotated[str, described("Cypher type, such as LIST<STRING>.")]
    meaning: Annotated[str, described("Meaning of the parameter.")]


@dataclass(frozen=True)
class NamedQuery(Record):
    """Named query: a common question as Cypher."""

    name: Annotated[str, described("Name of the query.")]
    summary: Annotated[str, described("Question that the query answers.")]
    parameters: Annotated[tuple[QueryParameter, ...], described("Parameters, in order.")]
    columns: Annotated[tuple[str, ...], described("Columns, in order.")]
    returns: Annotated[str, described("Columns with types and meanings, one line each.")]
    tries: Annotated[tuple[str, ...], described("Lines that set the parameters in Neo4j Browser.")]
    cypher: Annotated[str, described("Cypher text with its header, for the active vectors.")]

    @property
    def question(self) -> str:
        """The question itself: the summary as far as its mark."""
        return self.summary[: self.summary.index("?") + 1]


def names() -> list[str]:
    """Return the names of all questions, sorted."""
    return [name.removeprefix(FOLDER) for name in cypher.names() if name.startswith(FOLDER)]


def find(name: str, slot: VectorSlot = VectorSlot.FIRST) -> NamedQuery:
    """Return a question by its name.

    Args:
        name: One of :func:`names`.
        slot: Active slot of vectors.

    Raises:
        NotFoundError: The name is unknown.
    """
    statement = _statement(name, slot)
    header = cypher.describe(statement)
    parameters = tuple(QueryParameter(one.name, one.type, one.meaning) for one in header.parameters)
    return NamedQuery(name, header.summary, parameters, header.columns, header.returns, header.tries, statement.text)


async def slot_of(database: Database) -> VectorSlot:
    """Return the place of vectors that is in use; the first in a store that nothing was ever written to.

    Raises:
        DatabaseError: Neo4j failed.
    """
    active = (await stored_models(database)).active
    return active.slot if active else VectorSlot.FIRST


async def run(database: Database, name: str, given: Mapping[str, Any] | None = None) -> Rows:
    """Ask a question of the library.

    Args:
        database: A prepared store.
        name: One of :func:`names`.
        given: Values of parameters; those that are not given are what the file's ``:param`` lines say.

    Raises:
        NotFoundError: There is no question of this name.
        InputError: It has no such parameter.
        DatabaseError: Neo4j failed, refused a value, or took too long.
    """
    given = dict(given or {})
    statement = _statement(name, await slot_of(database))
    header = cypher.describe(statement)
    known = [parameter.name for parameter in header.parameters]
    if unknown := sorted(given.keys() - set(known)):
        raise InputError(
            f"Query {name} has no parameter {unknown[0][:80]!r}. Parameters: {', '.join(known)}.", field="param"
        )
    values = await defaults(database, statement, given) | given
    parameters = {name: values[name] for name in known}
    records = await database.read(statement, **parameters)
    columns = columns_of(records, header.columns)
    return Rows(columns, tuple(tuple(record.values()) for record in records), parameters)


async def defaults(database: Database, statement: Statement, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file's ``:param`` lines say, evaluated by Neo4j; lines of values that are given are left out.

    Raises:
        DatabaseError: Neo4j failed, or took too long.
    """
    trial = cypher.to_try(statement, but=given.keys())
    if trial is None:
        return {}
    (record,) = await database.read(trial)
    return cypher.tried(record)


def _statement(name: str, slot: VectorSlot) -> Statement:
    if name not in names():
        raise NotFoundError("named query", name[:80], field="name")
    return cypher.load(f"{FOLDER}{name}", slot)
