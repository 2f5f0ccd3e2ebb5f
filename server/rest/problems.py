"""Errors of REST as problems of RFC 9457."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from papergraph.errors import AccessError, Code, InputError, PapergraphError, Reason
from papergraph.requests import message_of
from papergraph.server.middleware.authentication import STATUSES
from papergraph.server.operations.error_responses import error_answer, problem, public_error, request_id_of

CODES = {404: Code.NOT_FOUND, 413: Code.BAD_USER_INPUT}
UPLOAD_STATUSES = {Reason.TOO_LARGE: 413, Reason.UNSUPPORTED_TYPE: 415}
PLACES = ("body", "query", "path", "header")
MOST_ERRORS = 20
"""Most reported fields of a request."""


def add_problems(app: FastAPI) -> None:
    """Have an application answer errors by problems."""
    app.add_exception_handler(PapergraphError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)


def status_of(error: PapergraphError) -> int:
    """Return the status that an error is answered with."""
    reason = error.reason if isinstance(error, InputError) else None
    return (reason and UPLOAD_STATUSES.get(reason)) or STATUSES[error.code]


def errors_of(error: PapergraphError, message: str) -> list[Mapping[str, str | None]]:
    """Return the fields that an error is about."""
    field: str | None = getattr(error, "field", None)
    if field is None:
        return []
    reason = error.reason.value if isinstance(error, InputError) and error.reason else None
    return [{"field": field, "message": message, "reason": reason}]


def problem_of(scope: Scope, error: PapergraphError) -> dict[str, Any]:
    """Return the problem that ends a stream."""
    message = public_error(error, request_id_of(scope))
    return problem(scope, error.code, message, status=status_of(error), errors=errors_of(error, message))


def ours(error: Exception) -> PapergraphError:
    """Return an error that ends a stream as one of ours."""
    if isinstance(error, PapergraphError):
        return error
    failure = PapergraphError("The stream failed.")
    failure.__cause__ = error
    return failure


async def _of_ours(request: Request, error: Exception) -> Response:
    if not isinstance(error, PapergraphError):
        raise error
    message = public_error(error, request_id_of(request.scope))
    answer = error_answer(request.scope, error.code, message, status=status_of(error), errors=errors_of(error, message))
    if isinstance(error, AccessError) and (seconds := getattr(error, "retry_after_s", None)) is not None:
        answer.headers["Retry-After"] = str(seconds)
    return answer


async def _of_validation(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    errors = [
        {"field": _field(one["loc"]), "message": message_of(one), "reason": None}
        for one in error.errors()[:MOST_ERRORS]
    ]
    detail = "; ".join(f"{one['field']}: {one['message']}" if one["field"] else str(one["message"]) for one in errors)
    return error_answer(request.scope, Code.BAD_USER_INPUT, detail, status=400, errors=errors)


def _field(place: Sequence[Any]) -> str:
    """Return a field's name as the client wrote it; '' for malformed JSON."""
    parts = [str(part)[:80] for part in place]
    return ".".join(parts[1:] if parts[0] in PLACES else parts) if len(parts) > 1 else ""


async def _of_http(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    code = CODES.get(error.status_code, Code.BAD_USER_INPUT)
    answer = error_answer(request.scope, code, str(error.detail), status=error.status_code)
    answer.headers.update(error.headers or {})
    return answer
