"""Client of papergraph: search, ask, ingest and traverse a graph of research papers.

:class:`Papergraph` is synchronous, :class:`AsyncPapergraph` the same with ``await``.
"""

from typing import TYPE_CHECKING, Any

from papergraph_client import lists, models, options
from papergraph_client._events import AnswerEvent
from papergraph_client._http import RawResponse
from papergraph_client._model import ListOf, Page
from papergraph_client._sync.client import JobHandle, Papergraph
from papergraph_client._sync.transport import AnswerStream, Pages
from papergraph_client._version import VERSION as __version__
from papergraph_client.errors import (
    ApiError,
    BadUserInputError,
    BrokenStreamError,
    ConflictError,
    ConnectionFailedError,
    DeadlineError,
    FieldError,
    ForbiddenError,
    InternalError,
    JobNotFinishedError,
    NoAnswerInTimeError,
    NotFoundError,
    PapergraphError,
    PersistedQueryNotFoundError,
    QueryTooComplexError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
    UnexpectedAnswerError,
)

if TYPE_CHECKING:
    from papergraph_client._async.client import AsyncJobHandle, AsyncPapergraph
    from papergraph_client._async.transport import AsyncAnswerStream, AsyncPages

_ASYNC = {
    "AsyncPapergraph": "client",
    "AsyncJobHandle": "client",
    "AsyncPages": "transport",
    "AsyncAnswerStream": "transport",
}
"""Names of the asynchronous client, imported when they are used."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _ASYNC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}._async.{_ASYNC[name]}"), name)


__all__ = [
    "AnswerEvent",
    "AnswerStream",
    "ApiError",
    "AsyncAnswerStream",
    "AsyncJobHandle",
    "AsyncPages",
    "AsyncPapergraph",
    "BadUserInputError",
    "BrokenStreamError",
    "ConflictError",
    "ConnectionFailedError",
    "DeadlineError",
    "FieldError",
    "ForbiddenError",
    "InternalError",
    "JobHandle",
    "JobNotFinishedError",
    "ListOf",
    "NoAnswerInTimeError",
    "NotFoundError",
    "Page",
    "Pages",
    "Papergraph",
    "PapergraphError",
    "PersistedQueryNotFoundError",
    "QueryTooComplexError",
    "RateLimitedError",
    "RawResponse",
    "UnauthenticatedError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "__version__",
    "lists",
    "models",
    "options",
]
