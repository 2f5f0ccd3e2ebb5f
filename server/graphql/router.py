"""GraphQL over HTTP, in all that its specification asks for: https://graphql.github.io/graphql-over-http."""

import json
from typing import Any

from cross_web import HTTPException
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from strawberry.exceptions import ConnectionRejectionError
from strawberry.fastapi import GraphQLRouter
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.types import ExecutionResult
from strawberry.types.unset import UNSET

from papergraph.errors import Code, PapergraphError
from server.error_responses import error_answer
from server.graphql.context import Context
from server.middleware.authentication import presented

SPEC_TYPE = "application/graphql-response+json"
MAX_JSON_DEPTH = 64


class Router(GraphQLRouter[Context, None]):
    """Strawberry's router with the media type of the specification, and a body of ours for every refusal."""

    async def run(self, request: Any, context: Any = UNSET, root_value: Any = UNSET) -> Any:
        """Answer a request; a WebSocket is Strawberry's."""
        if request.scope["type"] == "websocket":
            return await super().run(request, context, root_value)
        if request.method == "GET" and not self.allow_queries_via_get:
            refusal = self._refusal(request, "GraphQL requires POST on this server.", status=405)
            refusal.headers["allow"] = "POST"
            return refusal
        try:
            response: Response = await super().run(request, context, root_value)
        except HTTPException as refused:
            response = self._refusal(request, refused.reason, status=refused.status_code)
        is_json = response.headers.get("content-type", "").startswith("application/json")
        if is_json and names_spec_type(request.headers.get("accept", "")):
            response.headers["content-type"] = f"{SPEC_TYPE}; charset=utf-8"
            if getattr(request.state, "is_request_error", False):
                response.status_code = 400
        return response

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
        return asked

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


def shown_in(first: object) -> str | None:
    """Return the key in the first message of a WebSocket, which has the form of headers."""
    if not isinstance(first, dict):
        return None
    return presented(Headers({str(name): value for name, value in first.items() if isinstance(value, str)}))


def names_spec_type(accept: str) -> bool:
    """Return whether a client names the media type of the specification; wildcards and nothing mean plain JSON."""
    for media_range in accept.split(","):
        name, *parameters = (part.strip().lower() for part in media_range.split(";"))
        if name == SPEC_TYPE:
            return not any(parameter.replace(" ", "").rstrip("0.") == "q=" for parameter in parameters)
    return False


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
