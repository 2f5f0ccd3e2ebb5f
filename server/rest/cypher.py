"""Cypher over REST: any query that only reads, its rows as they come, or as CSV, Arrow, or the graph in them."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from papergraph.errors import PapergraphError
from papergraph.guard import MAX_QUERY_CHARS, MAX_ROWS
from server.access import prices
from server.access.querying import pieces_for
from server.error_bodies import problem, told_of
from server.querying.desk import DEFAULT_ROWS, End, Head, Piece, Question, Rows, Table, gathered
from server.querying.formats import arrow_of, csv_of, graph_of
from server.rest.asking import Ask, Asked, Given
from server.rest.models import Answer
from server.rest.problems import errors_of, status_of

router = APIRouter()

CSV, ARROW = "text/csv; charset=utf-8", "application/vnd.apache.arrow.stream"


class CypherBody(Given):
    """A query that only reads, and how its rows are to come."""

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["MATCH (p:Paper) RETURN p.title, p.year"])
    parameters: dict[str, Any] = Field(default_factory=dict)
    rows: int = Field(default=DEFAULT_ROWS, ge=1, le=MAX_ROWS)
    """How many at most; where there are more, the answer says so."""

    deadline_ms: int | None = Field(default=None, ge=1)
    """How long the query may take; the server's own deadline by default, and at most."""

    format: Literal["json", "csv", "arrow", "graph"] = "json"

    def question(self) -> Question:
        """Return the query as all faces have it."""
        deadline_s = None if self.deadline_ms is None else self.deadline_ms / 1000
        return Question(self.query, self.parameters, self.rows, deadline_s)


class CypherRows(Answer):
    """What a query returns."""

    columns: list[str]
    as_of: datetime | None
    """Of a copy of the store, when it was made."""

    rows: list[list[Any]]
    n_rows: int
    truncated: Literal["rows", "bytes"] | None
    """What ended the rows where there are more."""

    ms: float
    """How long the query took, in milliseconds."""

    problem: dict[str, Any] | None = None
    """What ended it early, where something did after the first rows had been sent."""


class GraphNode(Answer):
    """A node, as Neo4j has it."""

    id: str
    labels: list[str]
    properties: dict[str, Any]


class GraphRelationship(Answer):
    """A relationship, as Neo4j has it."""

    id: str
    type: str
    start: str | None
    end: str | None
    properties: dict[str, Any]


class CypherGraph(Answer):
    """The graph in the rows."""

    nodes: list[GraphNode]
    relationships: list[GraphRelationship]
    as_of: datetime | None
    n_rows: int
    truncated: Literal["rows", "bytes"] | None
    ms: float


@router.post(
    "/cypher",
    summary="What a query of Cypher returns that only reads the graph.",
    response_model=CypherRows | CypherGraph,
    responses={
        200: {
            "description": "The rows; as CSV or Arrow, headers tell of the rest.",
            "content": {"text/csv": {}, ARROW: {}},
        }
    },
)
async def run_cypher(ask: Ask, wanted: CypherBody, request: Request) -> Response:
    await ask.charge(prices.CYPHER)
    pieces = pieces_for(ask.grant, ask.service.desk, wanted.question())
    if wanted.format == "json":
        head = await anext(pieces)
        assert isinstance(head, Head)  # noqa: S101 for mypy; it comes first
        return StreamingResponse(_json(ask, request, head, pieces), media_type="application/json")
    table = await gathered(pieces)
    if wanted.format == "graph":
        found = CypherGraph(**graph_of(table), **_told(table))
        return Response(found.model_dump_json(by_alias=True), media_type="application/json")
    body, kind = (csv_of(table), CSV) if wanted.format == "csv" else (arrow_of(table), ARROW)
    return Response(body, media_type=kind, headers=_headers(table))


async def _json(ask: Asked, request: Request, head: Head, pieces: AsyncGenerator[Piece, None]) -> AsyncIterator[str]:
    """Yield the answer row by row; what ends it early stands at its end, for the status has been sent."""
    as_of = head.as_of.isoformat() if head.as_of else None
    yield f'{{"columns":{json.dumps(list(head.columns), ensure_ascii=False)},"asOf":{json.dumps(as_of)},"rows":['
    n_rows, end, refusal = 0, None, None
    async with aclosing(pieces):
        try:
            async for piece in pieces:
                if isinstance(piece, Rows):
                    yield ("," if n_rows else "") + ",".join(row.text for row in piece.rows)
                    n_rows += len(piece.rows)
                elif isinstance(piece, End):
                    end = piece
        except PapergraphError as error:
            told = told_of(error, ask.request_id)
            refusal = problem(request.scope, error.code, told, status=status_of(error), errors=errors_of(error, told))
    cut, ms = (end.cut, end.ms) if end else (None, 0.0)
    rest = {"nRows": n_rows, "truncated": cut, "ms": round(ms, 1), "problem": refusal}
    yield f"],{json.dumps(rest, ensure_ascii=False)[1:]}"


def _told(table: Table) -> dict[str, Any]:
    end = table.end
    return {"as_of": table.head.as_of, "n_rows": end.n_rows, "truncated": end.cut, "ms": round(end.ms, 1)}


def _headers(table: Table) -> Mapping[str, str]:
    headers = {"Papergraph-Rows": str(table.end.n_rows), "Papergraph-Ms": f"{table.end.ms:.1f}"}
    if table.end.cut is not None:
        headers["Papergraph-Truncated"] = table.end.cut
    if table.head.as_of is not None:
        headers["Papergraph-As-Of"] = table.head.as_of.isoformat()
    return headers
