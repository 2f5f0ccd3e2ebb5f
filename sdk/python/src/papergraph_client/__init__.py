"""Client of papergraph: search, ask, ingest and traverse a graph of research papers.

:class:`Papergraph` is synchronous, :class:`AsyncPapergraph` the same with ``await``.
"""

from typing import TYPE_CHECKING, Any

from papergraph_client import lists, models, options
from papergraph_client._events import AnswerEvent
from papergraph_client._http import RawResponse
from papergraph_client._model import ListOf, Page
from papergraph_client._sync.client import Papergraph
from papergraph_client._sync.jobs import JobHandle
from papergraph_client._sync.pages import Pages
from papergraph_client._sync.streams import AnswerStream
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
    from papergraph_client._async.client import AsyncPapergraph
    from papergraph_client._async.jobs import AsyncJobHandle
    from papergraph_client._async.pages import AsyncPages
    from papergraph_client._async.streams import AsyncAnswerStream

_ASYNC = {
    "AsyncPapergraph": "client",
    "AsyncJobHandle": "jobs",
    "AsyncPages": "pages",
    "AsyncAnswerStream": "streams",
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
