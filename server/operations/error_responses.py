"""Error responses of all interfaces: a code from a closed list, a message, and the request id.

On GraphQL's paths it has the form of GraphQL's errors, on those of REST that of RFC 9457, on those of OpenAI's clients
that of OpenAI's errors, and on MCP's that of JSON-RPC.
"""

import logging
import re
import uuid
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse
from starlette.types import Scope

from papergraph.errors import AccessError, Code, PapergraphError
from papergraph.telemetry import metrics
from papergraph.telemetry.logs import summary

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
REST_PATHS = re.compile(r"/v1(?:/.*)?|/openapi\.json", re.DOTALL)
OPENAI_PATHS = re.compile(
    r"/v1/(?:models|chat|responses|files|completions|embeddings|moderations|images|audio|batches|fine_tuning|vector_stores"
    r"|assistants|threads|conversations|realtime|evals|containers|videos)(?:/.*)?",
    re.DOTALL,
)
"""Paths of OpenAI's API, also those that are not served: errors there have OpenAI's form."""
MCP_PATH = "/mcp"
PROBLEM_TYPE = "application/problem+json"

OPENAI_TYPES = {
    Code.UNAUTHENTICATED: "authentication_error",
    Code.FORBIDDEN: "permission_error",
    Code.RATE_LIMITED: "rate_limit_error",
    Code.TIMEOUT: "server_error",
    Code.UNAVAILABLE: "server_error",
    Code.INTERNAL: "server_error",
}
"""OpenAI's types of errors by code; all others are ``invalid_request_error``."""

OPENAI_CODES = {Code.UNAUTHENTICATED: "invalid_api_key", Code.RATE_LIMITED: "rate_limit_exceeded"}
"""Codes that OpenAI's clients know; others are ours in small letters."""

JSONRPC_INVALID, JSONRPC_INTERNAL = -32600, -32603

HIDDEN = {
    Code.TIMEOUT: "The database did not answer in time. Retry.",
    Code.UNAVAILABLE: "The database is unavailable. Start it with papergraph db start, or retry.",
    Code.INTERNAL: "Internal error. The log of the server has details under the id of this request.",
}
"""Substitutes for messages that may contain addresses, queries or paths."""

log = logging.getLogger(__name__)


def new_request_id(asked: str = "") -> str:
    """Return the id that a client gives its request, or one of our own where it gives none of the allowed form."""
    return asked if REQUEST_ID.fullmatch(asked) else uuid.uuid4().hex


def request_id_of(scope: Scope) -> str:
    """Return the id of a request, giving it one where it has none yet."""
    request_id: str = scope.setdefault("state", {}).setdefault("request_id", new_request_id())
    return request_id


def error_extensions(code: Code, request_id: str, field: str | None = None) -> dict[str, str]:
    """Return what an error says beside its message, and count it."""
    metrics.ERRORS.labels(code.value).inc()
    return {"code": code.value, "requestId": request_id} | ({"field": field} if field else {})


def public_message(error: BaseException | None, message: str, code: Code, request_id: str) -> str:
    """Return the public message of an error, without internal details.

    The full message is logged.
    """
    if code not in HIDDEN or isinstance(error, AccessError):
        return message
    # what fails while the database is away fails often: one line tells as much as its traceback
    what = summary(error) if error else code
    log.error("request %s failed: %s", request_id, what, exc_info=error if code is Code.INTERNAL else None)
    return getattr(error, "public", None) or HIDDEN[code]


def public_error(error: PapergraphError, request_id: str) -> str:
    """Return what is said of an error of ours."""
    return public_message(error, str(error), error.code, request_id)


def problem(
    scope: Scope, code: Code, message: str, *, status: int, errors: Sequence[Mapping[str, str | None]] = ()
) -> dict[str, Any]:
    """Return a problem of RFC 9457, and count it: what was wrong with a request, in ``errors`` with which field."""
    metrics.ERRORS.labels(code.value).inc()
    return {
        "type": f"urn:papergraph:problem:{code.value.lower().replace('_', '-')}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "instance": quote(scope["path"]),
        "code": code.value,
        "requestId": request_id_of(scope),
        "errors": list(errors),
    }


def openai_error(code: Code, message: str, request_id: str, *, param: str | None = None) -> dict[str, Any]:
    """Return an error as OpenAI's clients read it, and count it; ``param`` is the parameter at fault."""
    metrics.ERRORS.labels(code.value).inc()
    unknown_model = code is Code.NOT_FOUND and param == "model"
    return {
        "error": {
            "message": message,
            "type": OPENAI_TYPES.get(code, "invalid_request_error"),
            "param": param,
            "code": "model_not_found" if unknown_model else OPENAI_CODES.get(code, code.value.lower()),
            "request_id": request_id,
        }
    }


def jsonrpc_error(code: Code, message: str, request_id: str, *, status: int) -> dict[str, Any]:
    """Return an error of JSON-RPC to a request that was not looked into, and count it."""
    number = JSONRPC_INTERNAL if status >= 500 else JSONRPC_INVALID
    error = {"code": number, "message": message, "data": error_extensions(code, request_id)}
    return {"jsonrpc": "2.0", "id": None, "error": error}


def error_answer(
    scope: Scope, code: Code, message: str, *, status: int, errors: Sequence[Mapping[str, str | None]] = ()
) -> JSONResponse:
    """Return the answer to a request that is refused as a whole, in the form of the face that its path belongs to."""
    request_id = request_id_of(scope)
    if OPENAI_PATHS.fullmatch(scope["path"]):
        param = errors[0].get("field") if errors else None
        return JSONResponse(openai_error(code, message, request_id, param=param or None), status_code=status)
    if scope["path"].rstrip("/") == MCP_PATH:
        return JSONResponse(jsonrpc_error(code, message, request_id, status=status), status_code=status)
    if REST_PATHS.fullmatch(scope["path"]):
        body = problem(scope, code, message, status=status, errors=errors)
        return JSONResponse(body, status_code=status, media_type=PROBLEM_TYPE)
    error: dict[str, Any] = {"message": message, "extensions": error_extensions(code, request_id)}
    return JSONResponse({"errors": [error]}, status_code=status)
