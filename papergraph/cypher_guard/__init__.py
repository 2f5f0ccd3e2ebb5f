"""Cypher that somebody else wrote, a person or a language model: it runs once it is known to do nothing but read.

Read access mode alone is no fence in Community Edition: LOAD CSV reaches files and the network, TERMINATE TRANSACTIONS
ends those of others, SHOW lists their texts, and procedures do what they like. Nor is the plan, read alone: a subquery
within an expression is planned inside of it, and shows no operators. So a query passes three closed lists: of functions
and procedures, by its words; and of operators, by the plan that Neo4j makes of it; and what no plan shows is refused.
"""

from collections.abc import Mapping
from typing import Any

from neo4j import Record

from papergraph.cypher_guard.plan_rules import check_plan
from papergraph.cypher_guard.text_rules import MAX_QUERY_CHARS, NO_FENCE, Fence, check_text
from papergraph.database import Database
from papergraph.errors import UnsafeQueryError
from papergraph.statement import Statement

__all__ = ["MAX_QUERY_CHARS", "MAX_ROWS", "NO_FENCE", "Fence", "ask", "checked", "numeric_in"]

MAX_ROWS = 10_000


async def ask(
    database: Database, text: str, parameters: Mapping[str, Any], *, name: str, most: int = MAX_ROWS
) -> list[Record]:
    """Run a query of somebody else's and return its records.

    Args:
        database: The store; its deadline holds for the plan and for the run, each.
        text: One statement of Cypher, at most 20,000 characters.
        parameters: Its values.
        name: What errors call it by.
        most: Records that are taken, at least 1; a query that gives more is refused.

    Raises:
        UnsafeQueryError: It would do something else than read the graph, or gives more than ``most`` records.
        QueryError: Neo4j refuses it.
        DatabaseError: Neo4j failed, or took too long.
    """
    statement = await checked(database, text, parameters, name=name)
    records = await database.ask(statement, parameters, most=most)
    if len(records) > most:
        raise UnsafeQueryError(f"The query returns more than {most} rows.", "Add a LIMIT.")
    return records


async def checked(
    database: Database, text: str, parameters: Mapping[str, Any], *, name: str, fence: Fence = NO_FENCE
) -> Statement:
    """Return a query of somebody else's as a statement once it is known to do nothing but read.

    Args:
        database: Makes the plan, within its deadline; nothing of the query runs.
        text: One statement of Cypher, at most 20,000 characters.
        parameters: Its values.
        name: What errors call it by.
        fence: What it must not read.

    Raises:
        UnsafeQueryError: It may do something else; the message names what, and what can be done.
        QueryError: Neo4j refuses it.
        DatabaseError: Neo4j failed, or took too long.
    """
    check_text(text, fence, numeric_in(parameters))
    statement = Statement(name, text)
    check_plan(await database.explain(statement, parameters), fence)
    return statement


def numeric_in(parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of parameters that are numbers or lists of numbers; they cannot become long texts."""
    return frozenset(name for name, value in parameters.items() if _is_numeric(value))


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(one, int | float) for one in value)
    return isinstance(value, int | float)
