"""GraphQL over HTTP, in all that its specification asks for: https://graphql.github.io/graphql-over-http."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from cross_web import HTTPException
from graphql import OperationType
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from strawberry.exceptions import ConnectionRejectionError
from strawberry.fastapi import GraphQLRouter
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.http.streaming import HTTPStreamTransport, SSETransport
from strawberry.schema.base import BaseSchema
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.unset import UNSET

from papergraph.errors import Code, PapergraphError
from server.graphql.context import Context
from server.graphql.media_types import SPEC_TYPE, accepted, json_type, operation_type, protocol_of
from server.graphql.options import Rules
from server.middleware.authentication import presented
from server.operations.error_responses import error_answer

MAX_JSON_DEPTH = 64


class EventStream(SSETransport):
    """Server-sent events whose lines end with LF alone: some clients look for an empty line as two of them."""

    def encode_event(self, event: str, data: str | None = None) -> str:
        """Return one event; the data are one line."""
        return super().encode_event(event, data).replace("\r\n", "\n")

    def encode_comment(self, comment: str) -> str:
        """Return a comment, which keeps a connection open."""
        return super().encode_comment(comment).replace("\r\n", "\n")


class Router(GraphQLRouter[Context, None]):
    """Strawberry's router with the media types of the specification, and a body of ours for every refusal.

    Args:
        rules: What may be asked; its persisted queries tell the type of an operation that is named by its hash.
    """

    stream_transport_classes_by_protocol: Mapping[str, type[HTTPStreamTransport]] = {
        **GraphQLRouter.stream_transport_classes_by_protocol,
        GRAPHQL_SSE_PROTOCOL: EventStream,
    }

    def __init__(self, schema: BaseSchema, *, rules: Rules, **options: Any) -> None:
        super().__init__(schema, **options)
        self._rules = rules

    async def run(self, request: Any, context: Any = UNSET, root_value: Any = UNSET) -> Any:
        """Answer a request; a WebSocket is Strawberry's."""
        if request.scope["type"] == "websocket":
            return await super().run(request, context, root_value)
        try:
            response: Response = await super().run(request, context, root_value)
        except HTTPException as refused:
            response = self._refusal(request, refused.reason, status=refused.status_code)
            if refused.status_code == 405:
                response.headers["allow"] = "POST"
        is_json = response.headers.get("content-type", "").startswith("application/json")
        if is_json and json_type(accepted(request.headers.get("accept", ""))) == SPEC_TYPE:
            response.headers["content-type"] = f"{SPEC_TYPE}; charset=utf-8"
            if getattr(request.state, "is_request_error", False):
                response.status_code = 400
        return not_modified(request, response) if is_json and request.method == "GET" else response

    def should_render_graphql_ide(self, request: Any) -> bool:
        """Say no: a request without a query is a wrong one, and there is no editor here."""
        return False

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Return the answer as JSON has it: without data, where the request as a whole was refused."""
        answer = await super().process_result(request, result)
        errors = result.errors or []
        if errors and result.data is None and all(error.path is None for error in errors):
            request.state.is_request_error = True
            answer.pop("data")
        return answer

    async def parse_http_body(self, request: Any) -> GraphQLRequestData | list[GraphQLRequestData]:
        """Read the parameters of the request."""
        asked = await super().parse_http_body(request)
        if isinstance(asked, GraphQLRequestData) and not isinstance(asked.operation_name, str | None):
            raise HTTPException(400, "The GraphQL operation's `operationName` must be a string or null, if provided.")
        is_known = isinstance(asked, GraphQLRequestData) and "persistedQuery" in (asked.extensions or {})
        if isinstance(asked, GraphQLRequestData) and not asked.query and not is_known:
            raise HTTPException(400, "No GraphQL query found in the request")  # a stream would have begun by then
        if isinstance(asked, GraphQLRequestData):
            if request.method == "GET" and self._type_of(asked) is OperationType.MUTATION:
                raise HTTPException(405, "Mutations are sent with POST.")
            ranges = accepted(request.headers.get("accept", ""))
            asked.protocol = protocol_of(ranges, lambda: self._type_of(asked))
        return asked

    def _type_of(self, asked: GraphQLRequestData) -> OperationType | None:
        try:
            text = self._rules.persisted.text_of(asked.query, (asked.extensions or {}).get("persistedQuery"))
        except PapergraphError:
            return None
        return operation_type(text, asked.operation_name, self._rules.valid.get(text) if text else None)

    async def on_ws_connect(self, context: Context) -> Any:
        """Let in a WebSocket whose first message shows a key, unless it has shown one already; else close it: 4403."""
        try:
            await context.enter(shown_in(context.connection_params))
        except PapergraphError as error:
            raise ConnectionRejectionError from error
        return UNSET

    def decode_json(self, data: str | bytes) -> object:
        """Read a JSON object, or a list, which is refused later on."""
        try:
            body = json.loads(data, parse_constant=_refuse_constant)
            json.dumps(body, ensure_ascii=False).encode()  # half a character, "\ud800", can be written nowhere
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError("not JSON in UTF-8", "", 0) from error
        if not isinstance(body, dict | list) or depth(body) > MAX_JSON_DEPTH:
            raise json.JSONDecodeError("not an object, or nested too deeply", "", 0)
        return body

    def _refusal(self, request: Request, reason: str, *, status: int) -> Response:
        return error_answer(request.scope, Code.BAD_USER_INPUT, reason, status=status)


def not_modified(request: Request, response: Response) -> Response:
    """Return an answer with an entity tag, or 304 where the client has it already."""
    if response.status_code != 200:
        return response
    tag = f'W/"{hashlib.sha256(response.body).hexdigest()[:32]}"'
    kept = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
    answer = Response(status_code=304) if tag in kept else response
    answer.headers["etag"] = tag
    return answer


def shown_in(first: object) -> str | None:
    """Return the key in the first message of a WebSocket, which has the form of headers."""
    if not isinstance(first, dict):
        return None
    return presented(Headers({str(name): value for name, value in first.items() if isinstance(value, str)}))


def depth(value: object) -> int:
    """Return how many lists and objects of JSON stand within each other."""
    level, levels = [value], 0
    while level := [inner for outer in level if isinstance(outer, dict | list) for inner in _within(outer)]:
        levels += 1
    return levels


def _within(outer: dict[str, Any] | list[Any]) -> Any:
    return outer.values() if isinstance(outer, dict) else outer


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
