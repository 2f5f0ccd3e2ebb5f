"""Cypher that somebody else wrote, a person or a language model: run as a read once its plan shows nothing but reading.

Read access mode alone is no fence in Community Edition: LOAD CSV reaches files and the network, TERMINATE TRANSACTIONS
ends those of others, SHOW lists their texts, and procedures do what they like. All of these show in the plan.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from neo4j import Record

from papergraph.database import Database, Statement
from papergraph.errors import UnsafeQueryError

MAX_QUERY_CHARS = 20_000
MAX_ROWS = 10_000
READS = "r"

SAFE_OPERATORS = re.compile(
    r"""
    (?: \w*Scan | \w*Seek | \w*SeekByRange | \w*IndexSearch | \w*CountFromCountStore | Argument | EmptyRow | Input
      | \w*Apply | \w*HashJoin | Triadic\w* | CartesianProduct | Repeat | \w*ShortestPath\w* | AssertSameNode
      | (?: Optional | VarLength | BFSPruningVarLength | PruningVarLength )? Expand
      | \w*Distinct | \w*Aggregation | Eager | Filter | CacheProperties | Projection | Unwind | Optional | \w*Union
      | \w*Limit | Skip | \w*Sort | \w*Top\w* | ProduceResults | EmptyResult | NonFuseable | Prober | ValueHashJoin )
    (?: \( .* \) )?
    """,
    re.VERBOSE,
)
"""Operators that only read the graph, with what some of them add in brackets; one that is not here is refused."""

SAFE_PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)
UNSAFE_FUNCTION = re.compile(r"\b(?:apoc|gds|dbms)\s*\.\s*[\w.]+\s*\(")


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
    if len(text) > MAX_QUERY_CHARS:
        raise UnsafeQueryError(f"it has {len(text)} characters, at most {MAX_QUERY_CHARS} are allowed")
    statement = Statement(name, text)
    summary = await database.explain(statement, parameters)
    if summary.query_type != READS:
        raise UnsafeQueryError("it is no query that reads the graph")
    for operator, details in _operators(summary.plan or {}):
        if operator == "ProcedureCall":
            procedure = re.match(r"[\w.]*", details.replace("`", ""))
            if procedure is None or procedure[0] not in SAFE_PROCEDURES:
                raise UnsafeQueryError(f"it calls {details.partition('(')[0]}")
        elif not SAFE_OPERATORS.fullmatch(operator):
            raise UnsafeQueryError(f"its plan has {operator}")
        if function := UNSAFE_FUNCTION.search(details.replace("`", "")):
            raise UnsafeQueryError(f"it calls {function[0]}…)")
    records = await database.ask(statement, parameters, most=most)
    if len(records) > most:
        raise UnsafeQueryError(f"it gives more than {most} rows; end it with a LIMIT")
    return records


def _operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each operator of a plan by its bare name, with its details."""
    waiting = [plan]
    while waiting:
        part = waiting.pop()
        yield str(part.get("operatorType", "")).partition("@")[0], str(part.get("args", {}).get("Details", ""))
        waiting += part.get("children", [])
