"""What Neo4j says about a query of a user, and what the server makes of it."""

import json
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
from neo4j import Record
from starlette.requests import Request

from papergraph.errors import Code, DeadlineError, InputError, QueryError
from papergraph.server.auth.access import everything
from papergraph.server.rest.cypher import CypherBody, run_cypher
from papergraph.server.user_cypher.runner import LONGEST_DETAIL, Connection, Head, Piece, Row, Rows
from papergraph.store import Address

CAUSED_BY_THE_QUERY = [
    "Neo.ClientError.Statement.SyntaxError",
    "Neo.ClientError.Statement.SemanticError",
    "Neo.ClientError.Statement.ArgumentError",
    "Neo.ClientError.Statement.ArithmeticError",
    "Neo.ClientError.Statement.TypeError",
    "Neo.ClientError.Statement.ParameterMissing",
    "Neo.ClientError.Statement.EntityNotFound",
    "Neo.ClientError.Procedure.ProcedureCallFailed",
    "Neo.ClientError.General.LimitExceeded",
    "Neo.ClientError.Something.Unknown",
    "Neo.DatabaseError.Statement.ExecutionFailed",  # duration('P99999999999999999999Y')
    "Neo.DatabaseError.Statement.CodeGenerationFailed",
]


def connection() -> Connection:
    return Connection(Address("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", 8.0))


@pytest.mark.parametrize("status", CAUSED_BY_THE_QUERY)
def test_errors_that_the_query_caused_are_refusals(status: str):
    with (
        pytest.raises(InputError, match='rejected the query: For input string: "99"') as caught,
        connection().telling(),
    ):
        raise QueryError("cypher", 'For input string: "99"', status=status)

    assert (caught.value.code, caught.value.field) == (Code.BAD_USER_INPUT, "query")


@pytest.mark.parametrize(
    "status", ["", "Neo.DatabaseError.General.UnknownError", "Neo.DatabaseError.Schema.TokenLimitReached"]
)
def test_faults_of_the_database_stay_faults(status: str):
    with pytest.raises(QueryError), connection().telling():
        raise QueryError("cypher", "disk full", status=status)


def test_a_long_value_is_not_repeated_in_a_refusal():
    with pytest.raises(InputError) as caught, connection().telling():
        raise QueryError("cypher", "9" * 100_000, status="Neo.DatabaseError.Statement.ExecutionFailed")

    assert len(str(caught.value)) < LONGEST_DETAIL + 100


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RecursionError("deep"), "INTERNAL"),
        (MemoryError(), "INTERNAL"),
        (KeyError("secret"), "INTERNAL"),
        (UnicodeDecodeError("utf-8", b"", 0, 0, "secret"), "INTERNAL"),
        (TimeoutError("secret"), "INTERNAL"),
        (ExceptionGroup("secret", [ValueError()]), "INTERNAL"),
        (DeadlineError("The query", 5), "TIMEOUT"),
        (InputError("Too large.", field=None), "BAD_USER_INPUT"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
async def test_rows_that_fail_on_their_way_end_with_a_problem_whatever_fails(error: Exception, code: str):
    async def pieces() -> AsyncGenerator[Piece, None]:
        yield Head(["n"], None)
        yield Rows([Row([1], "[1]", Record({"n": 1}))])
        raise error

    desk = SimpleNamespace(ask=lambda *_, **__: pieces())
    context = SimpleNamespace(principal=everything(), service=SimpleNamespace(desk=desk), charge=AsyncMock())
    request = Request({"type": "http", "path": "/v1/cypher", "headers": []})

    answer = await run_cypher(context=context, wanted=CypherBody(query="RETURN 1 AS n"), request=request)
    told = json.loads("".join([part async for part in answer.body_iterator]))

    assert (told["rows"], told["nRows"], told["problem"]["code"]) == ([[1]], 1, code)
    assert "secret" not in str(told)
