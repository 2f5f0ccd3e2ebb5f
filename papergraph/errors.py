"""Errors that papergraph raises on purpose, in one tree.

PapergraphError                    INTERNAL           any of them; an argument ``code`` overrides that of the class
├── InputError                     BAD_USER_INPUT     invalid argument; ``field`` names it
│   └── UnsafeQueryError                              Cypher of a user does more than read the graph
├── FileContentError               BAD_USER_INPUT     a prompt or a file of evaluation data has invalid content
├── SourceError                    BAD_USER_INPUT     a document cannot be read; ``reason`` is one of a closed list
├── NotFoundError                  NOT_FOUND          the graph lacks the id, key or collection
├── ConflictError                  CONFLICT           the request contradicts an earlier one, or the present state
├── AccessError                    FORBIDDEN          the key is valid and lacks the right
│   ├── UnauthenticatedError       UNAUTHENTICATED    the key is missing or invalid
│   ├── RateLimitedError           RATE_LIMITED       a key or address has reached a limit
│   └── OverloadedError            UNAVAILABLE        the server has no free slot
├── DatabaseError                  UNAVAILABLE
│   ├── DatabaseUnavailableError                      no answer, a refused login or a broken connection
│   ├── DeadlineError              TIMEOUT            our own deadline passed
│   ├── UnknownOutcomeError                           the connection broke at commit: the change may be written
│   ├── QueryError                 INTERNAL           Neo4j refused the query
│   │   └── IndexUnavailableError  UNAVAILABLE        an index of the query is missing or not built yet
│   └── GraphDataScienceMissingError                  the server lacks the plug-in Graph Data Science
├── SchemaError                    UNAVAILABLE        version, indexes, models or state of the store do not fit
│   └── ModelChangedError                             another embedding model came into use during the work
├── UnavailableError               UNAVAILABLE        a Dask cluster or a model download failed
├── ArchiveError                   UNAVAILABLE        an archive cannot be written, is damaged, or does not fit here
├── LocalNeo4jError                UNAVAILABLE        the local Neo4j cannot be fetched, started or stopped
├── EmbeddingError                 UNAVAILABLE        a model cannot be loaded, or made an unusable vector
│   ├── DeviceMemoryError                             one text does not fit into the memory of the GPU
│   └── ModelServerError                              the server of a model failed, or has another model now
├── LanguageModelError             UNAVAILABLE
│   ├── ModelUnavailableError                         none is configured, or its server failed
│   ├── ModelDeadlineError         TIMEOUT            our own deadline passed
│   ├── ModelAnswerError                              an unusable answer; ``fault`` is one of a closed list
│   └── BudgetSpentError                              the next call could cost more than what is left
├── UpstreamError                  UNAVAILABLE        the service of ``PAPERGRAPH_PROXY_URL`` failed
└── OutboundError                  UNAVAILABLE        a URL could not be fetched; ``url`` says which
    ├── BlockedUrlError            BAD_USER_INPUT     the URL must not be fetched
    ├── OutboundStatusError                           the answer has another ``status`` than 200
    └── OutboundTooLargeError                         the answer has more bytes than allowed

The message says what was wrong, with the values, and what to do.
"""

from collections.abc import Sequence
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path

# Codes, the root of the errors, and errors of several packages


def install_command(extra: str) -> str:
    """Return the commands that install an extra: in a clone, and of the package."""
    return f"uv sync --inexact --extra {extra} (in a clone), or pip install 'papergraph[{extra}]'"


class Code(StrEnum):
    """Closed list of the codes that all interfaces report.

    Attributes:
        meaning: What the code says; it stays the same.
        next_step: What a client does.
    """

    meaning: str
    next_step: str

    def __new__(cls, value: str, meaning: str, next_step: str) -> "Code":
        """Return a code with its meaning and next step."""
        code = str.__new__(cls, value)
        code._value_, code.meaning, code.next_step = value, meaning, next_step
        return code

    BAD_USER_INPUT = "BAD_USER_INPUT", "Invalid query, argument or request.", "Correct it as the message says."
    UNAUTHENTICATED = "UNAUTHENTICATED", "The key is missing or invalid.", "Send a valid key."
    FORBIDDEN = (
        "FORBIDDEN",
        "The key lacks the right.",
        "Use a key with the scope or collection that the message names.",
    )
    NOT_FOUND = "NOT_FOUND", "The id, key, name or route does not exist.", "Look it up in a list of the interface."
    CONFLICT = "CONFLICT", "The request contradicts an earlier one, or the present state.", "Read the state again."
    RATE_LIMITED = "RATE_LIMITED", "A key or address has reached a limit.", "Retry after the seconds of Retry-After."
    QUERY_TOO_COMPLEX = "QUERY_TOO_COMPLEX", "The query costs too much.", "Request shorter pages or fewer fields."
    PERSISTED_QUERY_NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND", "No query has this hash.", "Send the text of the query."
    TIMEOUT = "TIMEOUT", "A deadline passed.", "Retry, or ask for less."
    UNAVAILABLE = "UNAVAILABLE", "A service that is needed failed.", "Retry later; the server's log has the cause."
    INTERNAL = "INTERNAL", "papergraph has a defect.", "Report the request id; the server's log has the details."


class PapergraphError(Exception):
    """Error that papergraph raises on purpose.

    Attributes:
        code: Its code.
        public: What clients read instead of the message, of an error that the operator must correct.

    >>> try:
    ...     library.papers("nowhere")
    ... except papergraph.PapergraphError as error:
    ...     print(error.code, error)
    NOT_FOUND There is no collection 'nowhere'. Ingest papers into it to create it.
    """

    code = Code.INTERNAL
    public: str | None = None

    def __init__(self, message: str = "", *, code: Code | None = None, public: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.code
        self.public = public or self.public


class InputError(PapergraphError):
    """An argument that the caller can correct; ``reason`` says why an upload was refused."""

    code = Code.BAD_USER_INPUT

    def __init__(self, message: str, *, field: str, reason: "Reason | None" = None) -> None:
        super().__init__(message)
        self.field, self.reason = field, reason


class NotFoundError(PapergraphError):
    """An id, key or collection that the graph does not hold."""

    code = Code.NOT_FOUND

    def __init__(self, what: str, value: str, *, field: str, message: str | None = None) -> None:
        super().__init__(message or f"There is no {what} {value!r}.")
        self.what, self.value, self.field = what, value, field

    @classmethod
    def collection(cls, name: str) -> "NotFoundError":
        """Return the error of a collection that holds no paper."""
        message = f"There is no collection {name!r}. Ingest papers into it to create it."
        return cls("collection", name, field="collection", message=message)


class ConflictError(PapergraphError):
    """Something that does not go with what was asked before, or with how far it is; ``field`` names the argument."""

    code = Code.CONFLICT

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


# Errors of the database and its schema


class DatabaseError(PapergraphError):
    """Neo4j could not do what was asked."""

    code = Code.UNAVAILABLE


class DatabaseUnavailableError(DatabaseError):
    """Neo4j does not answer, refuses the login, or broke the connection."""


class DeadlineError(DatabaseError):
    """A database call outlived its deadline."""

    code = Code.TIMEOUT

    def __init__(self, query: str, deadline_s: float, *, public: str | None = None) -> None:
        super().__init__(f"{query} did not answer within {deadline_s:g} s.", public=public)
        self.query, self.deadline_s = query, deadline_s


class UnknownOutcomeError(DatabaseError):
    """The connection broke while a transaction was being committed; read again before reporting anything."""

    def __init__(self, query: str, detail: str) -> None:
        super().__init__(
            f"{query}: the connection broke at commit, so the change may or may not be written ({detail})."
        )
        self.query = query


class QueryError(DatabaseError):
    """Neo4j refused a query; ``status`` is its error code."""

    code = Code.INTERNAL

    def __init__(self, query: str, detail: str, *, status: str = "") -> None:
        super().__init__(f"{query}: {detail}")
        self.query, self.detail, self.status = query, detail, status


class IndexUnavailableError(QueryError):
    """A vector or full-text index that a query asks is missing, or is still being built."""

    code = Code.UNAVAILABLE


class GraphDataScienceMissingError(DatabaseError):
    """The server lacks the plug-in Graph Data Science, or some of its procedures."""

    def __init__(self, procedures: tuple[str, ...]) -> None:
        super().__init__(
            f"Neo4j lacks Graph Data Science ({', '.join(procedures)}), which makes topics, communities and ranks. Put "
            "it into the server's folder of plugins with papergraph db plugins FOLDER and restart Neo4j, or unset "
            "PAPERGRAPH_NEO4J_URI to use the local Neo4j, which has it."
        )
        self.procedures = procedures


class SchemaError(PapergraphError):
    """Version, indexes, embedding models or state of the store are not those that a command needs."""

    code = Code.UNAVAILABLE
    problems: tuple[str, ...] = ()

    @classmethod
    def too_new(cls, *, found: int, known: int) -> "SchemaError":
        """Return the error of a store or snapshot that a newer papergraph wrote."""
        return cls(
            f"Its schema has version {found}; this papergraph knows versions up to {known}. Use a newer papergraph."
        )

    @classmethod
    def drift(cls, problems: Sequence[str]) -> "SchemaError":
        """Return the error of constraints or indexes that are missing or have other options than the model says."""
        error = cls("\n  ".join(["The schema of the store differs from the expected one:", *problems]))
        error.problems = tuple(problems)
        return error

    @classmethod
    def other_model(cls, *, stored: str, configured: str, name: str) -> "SchemaError":
        """Return the error of a store whose vectors are of another embedding model."""
        return cls(
            f"The vectors in the store are from {stored}, but the configured model is {configured}. Unset "
            f"PAPERGRAPH_EMBEDDING_MODEL to use the model of the store, or switch the store to the configured one: "
            f"papergraph embeddings switch {name}"
        )


class ModelChangedError(SchemaError):
    """Another embedding model came into use while something was on its way that an older one had made."""

    def __init__(self, *, active: str) -> None:
        super().__init__(
            f"The store switched to embedding model {active} during this command, and no vector of another model was "
            "written. Run the command again, with PAPERGRAPH_EMBEDDING_MODEL unset or set to this model."
        )


class ArchiveError(PapergraphError):
    """An archive cannot be written, is damaged, or cannot be restored here; ``path`` says which file."""

    code = Code.UNAVAILABLE

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class UnavailableError(PapergraphError):
    """A Dask cluster or a model download failed."""

    code = Code.UNAVAILABLE


class LocalNeo4jError(PapergraphError):
    """The local Neo4j cannot be fetched, started or stopped."""

    code = Code.UNAVAILABLE


# Errors of documents and of what is fetched or worked on elsewhere


class OutboundError(PapergraphError):
    """A URL that could not be fetched."""

    code = Code.UNAVAILABLE

    def __init__(self, url: str, detail: str, *, code: Code | None = None) -> None:
        super().__init__(f"{url} {detail}", code=code)
        self.url, self.detail = url, detail


class BlockedUrlError(OutboundError):
    """A URL that must not be asked for, by its text, its addresses, or where it leads to."""

    code = Code.BAD_USER_INPUT


class OutboundStatusError(OutboundError):
    """An answer with another status than 200.

    ``retry_after_s`` is the wait that the server requests, or None; ``told`` is the beginning of its answer.
    """

    def __init__(self, url: str, status: int, *, retry_after_s: float | None = None, told: str = "") -> None:
        super().__init__(url, f"was answered with status {status}" + (f": {told}" if told else ""))
        self.status, self.retry_after_s, self.told = status, retry_after_s, told

    @property
    def may_pass(self) -> bool:
        """True if the same request may succeed later: rate limit, or failure of the server."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class OutboundTooLargeError(OutboundError):
    """An answer of more bytes than allowed; ``limit`` names what allows them."""

    def __init__(self, url: str, max_bytes: int, *, limit: str = "PAPERGRAPH_INGEST_MAX_FILE_BYTES") -> None:
        super().__init__(url, f"is larger than {max_bytes:,} bytes ({limit})")
        self.max_bytes = max_bytes


class Reason(StrEnum):
    """Reason for refusing a document, or an enrichment of its paper."""

    NOT_FOUND = "NOT_FOUND"
    UNREADABLE = "UNREADABLE"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    EMPTY = "EMPTY"
    NOT_TEXT = "NOT_TEXT"
    TOO_LARGE = "TOO_LARGE"
    BAD_METADATA = "BAD_METADATA"
    BLOCKED = "BLOCKED"
    UNREACHABLE = "UNREACHABLE"
    WITHDRAWN = "WITHDRAWN"
    ENCRYPTED = "ENCRYPTED"
    DAMAGED = "DAMAGED"
    PARTIAL = "PARTIAL"
    SCANNED = "SCANNED"
    OUT_OF_TIME = "OUT_OF_TIME"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    BUSY = "BUSY"
    MISSING_PROGRAM = "MISSING_PROGRAM"
    INTERNAL = "INTERNAL"
    DATABASE = "DATABASE"
    LOST = "LOST"
    SERVICE_FAILED = "SERVICE_FAILED"
    MODEL_ANSWER = "MODEL_ANSWER"
    MODEL_DEADLINE = "MODEL_DEADLINE"


class SourceError(PapergraphError):
    """A document that cannot become a paper."""

    code = Code.BAD_USER_INPUT

    def __init__(self, source: str, reason: Reason, detail: str) -> None:
        super().__init__(f"{source}: {detail}")
        self.source, self.reason, self.detail = source, reason, detail


class FileContentError(PapergraphError):
    """A prompt or a file of evaluation data has invalid content; ``place`` is the file, or its line."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail


# Errors of embedding models, of the language model, and of a service that requests are passed on to


class EmbeddingError(PapergraphError):
    """An embedding model cannot be loaded, or made a vector that must not be stored."""

    code = Code.UNAVAILABLE


class DeviceMemoryError(EmbeddingError):
    """One text alone does not fit into the memory of the processor that a local model runs on."""

    public = "The memory of the server's GPU is too small at present. Retry, or have its operator choose the CPU."

    def __init__(self, device: str, *, setting: str) -> None:
        super().__init__(
            f"the memory of {device} is too small for the model, even with one text at a time: end other programs "
            f"that use the GPU, choose a smaller model, or set {setting} to cpu"
        )


class ModelServerError(EmbeddingError):
    """Failed server of an embedding model or reranker: unreachable, refusing, or with an unusable answer.

    ``status`` is that of its answer, or None.
    """

    public = "The server of a model failed. Retry."

    def __init__(self, message: str, *, status: int | None = None, public: str | None = None) -> None:
        super().__init__(message, public=public)
        self.status = status


class LanguageModelError(PapergraphError):
    """A language model could not do what was asked."""

    code = Code.UNAVAILABLE
    public = "The language model failed. Retry, or use a mode or pipeline without one."
    briefly = "the language model failed"
    """Message for the user if the work continued without the model."""


class ModelUnavailableError(LanguageModelError):
    """No language model is configured, it cannot be reached, or it turns us away.

    ``retry_after_s`` is what the server asked to wait, in seconds, where it did.
    """

    briefly = "no language model is at hand"

    def __init__(self, message: str, *, status: int | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after_s = status, retry_after_s


class ModelDeadlineError(LanguageModelError):
    """The language model did not answer in time, all attempts together."""

    code = Code.TIMEOUT
    briefly = "the language model did not answer in time"

    def __init__(self, what: str, limit_s: float) -> None:
        super().__init__(
            f"{what}: no usable answer within {limit_s:g} s. Raise PAPERGRAPH_LLM_TIMEOUT_S to wait longer."
        )
        self.what, self.limit_s = what, limit_s


class AnswerFault(StrEnum):
    """Fault of a language model's answer."""

    EMPTY = "EMPTY"
    TRUNCATED = "TRUNCATED"
    TOO_LARGE = "TOO_LARGE"
    REFUSED = "REFUSED"
    NOT_JSON = "NOT_JSON"
    WRONG_SCHEMA = "WRONG_SCHEMA"
    NOT_A_COMPLETION = "NOT_A_COMPLETION"


class ModelAnswerError(LanguageModelError):
    """An answer that cannot be used; it was not stored."""

    briefly = "what the language model wrote cannot be used"

    def __init__(self, what: str, fault: AnswerFault, detail: str) -> None:
        super().__init__(f"{what}: {detail}")
        self.what, self.fault, self.detail = what, fault, detail


class BudgetSpentError(LanguageModelError):
    """The next call could cost more than what is left; it was not made."""

    briefly = "what may be spent on the language model is spent"

    def __init__(self, limit: str) -> None:
        super().__init__(f"The budget of {limit} does not allow another call. Completed work is kept.")
        self.limit = limit


class UpstreamError(PapergraphError):
    """The service that requests are passed on to, ``PAPERGRAPH_PROXY_URL``, cannot be asked.

    ``was_taken`` says whether it may have worked on the request nonetheless.
    """

    code = Code.UNAVAILABLE
    public = "The service that answers for this model is unavailable. Retry."

    def __init__(self, problem: str, *, was_taken: bool = True) -> None:
        super().__init__(f"The service at PAPERGRAPH_PROXY_URL is unavailable: {problem}.")
        self.was_taken = was_taken

    @classmethod
    def late(cls, deadline_s: float) -> "UpstreamError":
        """Return the error of a service that did not answer in time."""
        error = cls(f"no answer within {deadline_s:g} s")
        error.code = Code.TIMEOUT
        error.public = "The service that answers for this model did not answer in time. Retry."
        return error


# Errors of a request: invalid, forbidden, or too large


class UnsafeQueryError(InputError):
    """Cypher that somebody else wrote and that would do more than read the graph, or gives too much."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(f"{problem} {advice}", field="query")
        self.problem, self.advice = problem, advice


class AccessError(PapergraphError):
    """A request that is refused, whatever it asks; the message is for the client."""

    code = Code.FORBIDDEN

    @classmethod
    def scope(cls, what: str, needed: str, *, advice: str = "") -> "AccessError":
        """Return the error of a valid key that lacks a scope."""
        return cls(f"The API key lacks scope {needed!r}, which {what} requires. {advice}".rstrip())


class UnauthenticatedError(AccessError):
    """The key is missing or invalid."""

    code = Code.UNAUTHENTICATED


class RateLimitedError(AccessError):
    """A key or address has reached a limit; ``retry_after_s`` says when there is room."""

    code = Code.RATE_LIMITED

    def __init__(self, limit: str, *, retry_after_s: int) -> None:
        super().__init__(f"Rate limit exceeded: {limit}. Retry in {retry_after_s} s.")
        self.retry_after_s = retry_after_s


class OverloadedError(AccessError):
    """The server has no free slot; ``retry_after_s`` says when to retry."""

    code = Code.UNAVAILABLE

    def __init__(self, problem: str = "The server is at capacity.", *, retry_after_s: int) -> None:
        super().__init__(f"{problem} Retry in {retry_after_s} s.")
        self.retry_after_s = retry_after_s
