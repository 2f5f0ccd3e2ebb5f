"""Router of GraphQL, and the media types that it speaks."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cross_web import HTTPException
from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, OperationType, parse
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from strawberry.exceptions import ConnectionRejectionError
from strawberry.fastapi import GraphQLRouter
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData, GraphQLRequestProtocol
from strawberry.http.streaming import HTTPStreamTransport, SSETransport
from strawberry.schema.base import BaseSchema
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.unset import UNSET

from papergraph.errors import Code, PapergraphError
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.extensions import MAX_TOKENS
from papergraph.server.graphql.options import Rules
from papergraph.server.middleware.authentication import presented
from papergraph.server.operations.error_responses import error_answer

# Content negotiation of GraphQL over HTTP: by the type of the operation, then by quality and order.
#
# Clients name every form that they read in one header: urql asks for JSON, an event stream and multipart alike. RFC
# 9110, section 12.5.1, defines quality values; https://graphql.github.io/graphql-over-http the media type of an
# answer.


SPEC_TYPE = "application/graphql-response+json"
JSON_TYPES = frozenset({SPEC_TYPE, "application/json"})
EVENT_STREAM, MULTIPART = "text/event-stream", "multipart/mixed"
SUBSCRIPTION_BOUNDARY = "graphql"


@dataclass(frozen=True)
class MediaRange:
    """One entry of an ``Accept`` header.

    Attributes:
        name: Type and subtype in lower case; ``*`` for any.
        parameters: Its parameters but the quality, names in lower case.
        quality: 0 (never) to 1.
    """

    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    quality: float = 1.0

    def matches(self, names: Iterable[str]) -> bool:
        """Say whether one of these media types is in the range."""
        kind = self.name.partition("/")[0]
        return any(self.name in (name, "*/*") or self.name == f"{name.partition('/')[0]}/*" for name in names if kind)


def accepted(header: str) -> list[MediaRange]:
    """Return the ranges of an ``Accept`` header, the preferred ones first; equal ones stay in order."""
    ranges = []
    for part in header.split(","):
        name, *rest = (one.strip() for one in part.split(";"))
        if not name:
            continue
        pairs = (one.partition("=") for one in rest)
        parameters = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
        ranges.append(MediaRange(name.lower(), parameters, _quality(parameters.pop("q", "1"))))
    return sorted(ranges, key=lambda one: -one.quality)


def _quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return min(max(value, 0.0), 1.0)


def json_type(ranges: list[MediaRange]) -> str:
    """Return the media type of a JSON answer: that of the specification where a client names it."""
    is_named = any(one.name == SPEC_TYPE and one.quality > 0 for one in ranges)
    return SPEC_TYPE if is_named else "application/json"


def protocol_of(ranges: list[MediaRange], read_type: Callable[[], OperationType | None]) -> GraphQLRequestProtocol:
    """Return how an operation is answered.

    A subscription is answered by the preferred kind of stream, and everything else by JSON wherever JSON is acceptable.

    Args:
        ranges: What the client accepts.
        read_type: Returns the type of the operation, or None where it cannot be read; called only where it matters.
    """
    streams = [protocol for one in ranges if one.quality > 0 and (protocol := _stream(one)) is not None]
    if not streams:
        return "http"
    if _accepts_json(ranges) and read_type() != OperationType.SUBSCRIPTION:
        return "http"
    return streams[0]


def _accepts_json(ranges: list[MediaRange]) -> bool:
    refused = {one.name for one in ranges if one.quality == 0}
    return any(one.quality > 0 and one.matches(JSON_TYPES - refused) for one in ranges)


def _stream(one: MediaRange) -> GraphQLRequestProtocol | None:
    if one.name == EVENT_STREAM:
        return "sse"
    is_ours = one.parameters.get("boundary", SUBSCRIPTION_BOUNDARY) == SUBSCRIPTION_BOUNDARY
    if one.name == MULTIPART and is_ours and one.parameters.get("subscriptionspec", "").startswith("1.0"):
        return "multipart-subscription"
    return None


def operation_type(text: str | None, name: str | None, known: DocumentNode | None = None) -> OperationType | None:
    """Return the type of the operation that a request names, or None where the text or the name is wrong."""
    try:
        document = known or parse(text or "", max_tokens=MAX_TOKENS)
    except GraphQLError:
        return None
    operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
    for operation in operations:
        if (operation.name.value if operation.name else None) == name or (not name and len(operations) == 1):
            return operation.operation
    return None


# GraphQL over HTTP, in all that its specification asks for: https://graphql.github.io/graphql-over-http


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
        """Return False: a request without a query is an error, and the editor is elsewhere."""
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
        """Accept a WebSocket with a key in its headers or first message; else close it with 4403."""
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
    """Return the API key in the first message of a WebSocket, a JSON object of headers; None if it has none."""
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
