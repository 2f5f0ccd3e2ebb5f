"""Errors of the client: one class for each code of the API, and those of the connection.

All are below :class:`PapergraphError`. Those of the server carry ``code``, ``status``, ``request_id`` and ``errors``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class PapergraphError(Exception):
    """Any error of this client."""


class ConnectionFailedError(PapergraphError):
    """The server could not be reached, or broke the connection before its answer was complete."""


class NoAnswerInTimeError(PapergraphError):
    """The answer did not arrive within the timeout of the client."""


class BrokenStreamError(PapergraphError):
    """A stream ended before its last event."""


class UnexpectedAnswerError(PapergraphError):
    """The answer is not one of papergraph, such as a page of a proxy.

    Attributes:
        status: Status of HTTP.
        text: Beginning of the answer.
    """

    def __init__(self, message: str, *, status: int, text: str) -> None:
        super().__init__(message)
        self.status, self.text = status, text


class JobNotFinishedError(PapergraphError):
    """A job did not finish in the time of ``wait``, or is paused; it goes on without the client.

    Attributes:
        job_id: Id of the job.
        state: Its last state.
    """

    def __init__(self, message: str, *, job_id: str, state: str) -> None:
        super().__init__(message)
        self.job_id, self.state = job_id, state


@dataclass(frozen=True)
class FieldError:
    """Error in a field of a request.

    Attributes:
        field: Name of the field, as sent.
        message: Description of the error.
        reason: Reason of a refused upload, such as TOO_LARGE.
    """

    field: str | None
    message: str
    reason: str | None = None


class ApiError(PapergraphError):
    """An error that the server reports; a code that this version does not know has this class.

    Attributes:
        code: Code of the closed list, the same on every interface.
        status: Status of HTTP.
        request_id: Id of the request, for the log of the server.
        errors: Fields at fault.
        retry_after: Seconds to wait before the next try, if the server says so.
    """

    code = ""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int = 0,
        request_id: str | None = None,
        errors: Sequence[FieldError] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.request_id = message, status, request_id
        self.code = code or self.code
        self.errors, self.retry_after = tuple(errors), retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.message} (request {self.request_id})"


class BadUserInputError(ApiError):
    """The request is not valid; ``errors`` names the fields."""

    code = "BAD_USER_INPUT"


class UnauthenticatedError(ApiError):
    """The API key is missing, not valid or revoked."""

    code = "UNAUTHENTICATED"


class ForbiddenError(ApiError):
    """The API key lacks a scope or a collection."""

    code = "FORBIDDEN"


class NotFoundError(ApiError):
    """Nothing has this id, key or name."""

    code = "NOT_FOUND"


class ConflictError(ApiError):
    """The request conflicts with an earlier one, or with the current state."""

    code = "CONFLICT"


class RateLimitedError(ApiError):
    """The rate limit of the key is exceeded; ``retry_after`` has the seconds to wait."""

    code = "RATE_LIMITED"


class QueryTooComplexError(ApiError):
    """A GraphQL query costs more than allowed."""

    code = "QUERY_TOO_COMPLEX"


class PersistedQueryNotFoundError(ApiError):
    """The server knows no GraphQL query with this hash."""

    code = "PERSISTED_QUERY_NOT_FOUND"


class DeadlineError(ApiError):
    """The server had no result within its own deadline."""

    code = "TIMEOUT"


class UnavailableError(ApiError):
    """The server, its database or a model is unavailable or overloaded."""

    code = "UNAVAILABLE"


class InternalError(ApiError):
    """A fault of the server; its log has details under ``request_id``."""

    code = "INTERNAL"


BY_CODE: Mapping[str, type[ApiError]] = {
    error.code: error
    for error in (
        BadUserInputError,
        UnauthenticatedError,
        ForbiddenError,
        NotFoundError,
        ConflictError,
        RateLimitedError,
        QueryTooComplexError,
        PersistedQueryNotFoundError,
        DeadlineError,
        UnavailableError,
        InternalError,
    )
}


def api_error(problem: Mapping[str, Any], *, status: int, retry_after: float | None = None) -> ApiError:
    """Return the error that a problem of RFC 9457 describes."""
    code = str(problem.get("code", ""))
    found = problem.get("errors")
    errors = [
        FieldError(one.get("field"), str(one.get("message", "")), one.get("reason"))
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, Mapping)
    ]
    request_id = problem.get("requestId")
    return BY_CODE.get(code, ApiError)(
        str(problem.get("detail", "")),
        code=code,
        status=int(problem.get("status") or status),
        request_id=None if request_id is None else str(request_id),
        errors=errors,
        retry_after=retry_after,
    )
