"""Errors of a request: what it asks for is not acceptable, not allowed, or too much."""

from papergraph.errors.base import Code, InputError, NotFoundError, PapergraphError
from papergraph.errors.documents import Reason


class UnknownCollectionError(NotFoundError):
    """A collection that holds no paper."""

    def __init__(self, collection: str) -> None:
        message = f"There is no collection {collection!r}. Ingest papers into it to create it."
        super().__init__("collection", collection, field="collection", message=message)
        self.collection = collection


class UploadError(InputError):
    """A file that is not taken; ``reason`` says why."""

    def __init__(self, reason: "Reason", message: str, *, field: str = "file") -> None:
        super().__init__(message, field=field)
        self.reason = reason


class ChunkOptionsError(InputError, ValueError):
    """Chunks cannot be cut so: no such chunker, or sizes that do not go together."""


class UnsafeQueryError(InputError):
    """Cypher that somebody else wrote and that would do more than read the graph, or gives too much."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(f"{problem} {advice}", field="query")
        self.problem, self.advice = problem, advice


class CypherError(InputError):
    """Cypher that somebody else wrote and that Neo4j refuses, or that failed at what it was given."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"Neo4j rejected the query: {detail}", field="query")
        self.detail = detail


class ReadOnlyGraphError(PapergraphError):
    """A face that only reads the graph was asked to change it."""

    code = Code.BAD_USER_INPUT

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what} is not supported, because papergraph assigns the ids of the graph. {instead}")
        self.what, self.instead = what, instead


class AccessError(PapergraphError):
    """A request that is not answered, whatever it asks; the message is for whoever asked."""

    code = Code.FORBIDDEN


class UnauthenticatedError(AccessError):
    """A request without a key where one is needed, or with one that is not valid."""

    code = Code.UNAUTHENTICATED


class ForbiddenError(AccessError):
    """A valid key that lacks the scope for what is asked; ``needed`` names it."""

    def __init__(self, what: str, needed: str, *, advice: str = "") -> None:
        super().__init__(f"The API key lacks scope {needed!r}, which {what} requires. {advice}".rstrip())
        self.what, self.needed = what, needed


class RateLimitedError(AccessError):
    """More was asked with one key, or from one address, than it may; ``retry_after_s`` says when there is room."""

    code = Code.RATE_LIMITED

    def __init__(self, limit: str, *, retry_after_s: int) -> None:
        super().__init__(f"Rate limit exceeded: {limit}. Retry in {retry_after_s} s.")
        self.limit, self.retry_after_s = limit, retry_after_s


class OverloadedError(AccessError):
    """The server does as much at once as it takes already."""

    code = Code.UNAVAILABLE

    def __init__(self, *, retry_after_s: int) -> None:
        super().__init__(f"The server is at capacity. Retry in {retry_after_s} s.")
        self.retry_after_s = retry_after_s


class CypherStuckError(AccessError):
    """Neo4j goes on with a query of a user that was ended, and gets no more of them until that one is gone."""

    code = Code.UNAVAILABLE

    def __init__(self, *, retry_after_s: int) -> None:
        super().__init__(
            f"Cypher is paused, because Neo4j still runs a query that was ended. Retry in {retry_after_s} s."
        )
        self.retry_after_s = retry_after_s


class QueryTooComplexError(PapergraphError):
    """A GraphQL query that costs more than one may."""

    code = Code.QUERY_TOO_COMPLEX

    def __init__(self, cost: int, limit: int) -> None:
        super().__init__(f"The query costs {cost}; the limit is {limit}. Request shorter pages or fewer fields.")
        self.cost, self.limit = cost, limit


class PersistedQueryNotFoundError(PapergraphError):
    """A hash that no GraphQL query is known by, or a query that is not among the allowed ones."""

    code = Code.PERSISTED_QUERY_NOT_FOUND

    def __init__(self, message: str = "PersistedQueryNotFound") -> None:
        super().__init__(message)
