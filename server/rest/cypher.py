"""Read-only Cypher over REST: streamed JSON rows, CSV, Arrow, or the graph in the rows."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from papergraph import requests
from papergraph.records import described, to_json
from papergraph.server.auth.operations import CYPHER
from papergraph.server.operations.context import Context
from papergraph.server.operations.cypher import pieces_for
from papergraph.server.rest.problems import ours, problem_of
from papergraph.server.rest.requests import ResponseModel
from papergraph.server.user_cypher.formats import CypherResult, CypherSummary, arrow_of, csv_of, graph_of, summary_of
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import End, Head, Piece, Rows, Table, gathered

router = APIRouter()

CSV, ARROW = "text/csv; charset=utf-8", "application/vnd.apache.arrow.stream"


@requests.request(kw_only=True)
class CypherBody(CypherRequest):
    """Read-only Cypher query and the format of its rows."""

    format: Annotated[Literal["json", "csv", "arrow", "graph"], described("Format of the rows.")] = "json"


@dataclass(frozen=True, kw_only=True)
class CypherRows(CypherResult):
    """Result of a Cypher query."""

    problem: Annotated[dict[str, Any] | None, described("Error after the first rows were sent, if any.")] = None


class GraphNode(ResponseModel):
    """A node, as Neo4j has it."""

    id: str
    labels: list[str]
    properties: dict[str, Any]


class GraphRelationship(ResponseModel):
    """A relationship, as Neo4j has it."""

    id: str
    type: str
    start: str | None
    end: str | None
    properties: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class CypherGraph(CypherSummary):
    """Distinct nodes and relationships in the rows."""

    nodes: Annotated[list[GraphNode], described("Nodes.")]
    relationships: Annotated[list[GraphRelationship], described("Relationships.")]


@router.post(
    "/cypher",
    summary="Run a read-only Cypher query.",
    response_model=CypherRows | CypherGraph,
    responses={
        200: {
            "description": "Rows; for CSV and Arrow, headers hold the other fields.",
            "content": {"text/csv": {}, ARROW: {}},
        }
    },
)
@CYPHER
async def run_cypher(context: Context, wanted: CypherBody, request: Request) -> Response:
    pieces = pieces_for(context.principal, context.service.desk, wanted)
    if wanted.format == "json":
        head = await anext(pieces)
        assert isinstance(head, Head)  # noqa: S101 for mypy; it comes first
        return StreamingResponse(_json(request, head, pieces), media_type="application/json")
    table = await gathered(pieces)
    if wanted.format == "graph":
        parts = graph_of(table)
        found = CypherGraph(
            nodes=[GraphNode(**part) for part in parts["nodes"]],
            relationships=[GraphRelationship(**part) for part in parts["relationships"]],
            **summary_of(table),
        )
        return Response(to_json(found), media_type="application/json")
    body, kind = (csv_of(table), CSV) if wanted.format == "csv" else (arrow_of(table), ARROW)
    return Response(body, media_type=kind, headers=_headers(table))


async def _json(request: Request, head: Head, pieces: AsyncGenerator[Piece, None]) -> AsyncIterator[str]:
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
        except Exception as error:
            refusal = problem_of(request.scope, ours(error))
    cut, ms = (end.cut, end.ms) if end else (None, 0.0)
    rest = {"nRows": n_rows, "truncated": cut, "ms": round(ms, 1), "problem": refusal}
    yield f"],{json.dumps(rest, ensure_ascii=False)[1:]}"


def _headers(table: Table) -> Mapping[str, str]:
    headers = {"Papergraph-Rows": str(table.end.n_rows), "Papergraph-Ms": f"{table.end.ms:.1f}"}
    if table.end.cut is not None:
        headers["Papergraph-Truncated"] = table.end.cut
    if table.head.as_of is not None:
        headers["Papergraph-As-Of"] = table.head.as_of.isoformat()
    return headers
