"""Every error that papergraph raises on purpose, in one tree.

PapergraphError                    code INTERNAL
├── InputError                     BAD_USER_INPUT     what a caller typed is wrong; ``field`` names the argument
│   ├── UnknownCollectionError
│   ├── UploadError                                   a file that is not taken; ``reason`` says why
│   ├── ChunkOptionsError                             a way of cutting that there is not; also a ValueError
│   ├── UnsafeQueryError                              Cypher of somebody else's that does more than read the graph
│   └── CypherError                                   Cypher of somebody else's that Neo4j does not take
├── ReadOnlyGraphError             BAD_USER_INPUT     a graph that is read only here was to be changed
├── NotFoundError                  NOT_FOUND          an id or key that the graph does not hold
├── ConflictError                  CONFLICT           what is asked for does not go with what was asked before
├── AccessError
│   ├── UnauthenticatedError       UNAUTHENTICATED    no key, or none that is valid
│   ├── ForbiddenError             FORBIDDEN          the key is valid, and not for this
│   ├── RateLimitedError           RATE_LIMITED       more than a key may ask in a while, or at once
│   └── OverloadedError            UNAVAILABLE        as much as the server takes at once is being done already
├── QueryTooComplexError           QUERY_TOO_COMPLEX  a GraphQL query costs more than one may
├── PersistedQueryNotFoundError    PERSISTED_QUERY_NOT_FOUND  no GraphQL query is known by this hash
├── DatabaseError                  UNAVAILABLE
│   ├── DatabaseUnavailableError   UNAVAILABLE        no answer, a refused login or a broken connection
│   ├── DeadlineError              TIMEOUT            our own deadline passed
│   │   └── CypherDeadlineError    TIMEOUT            Cypher of somebody else's took longer than it may
│   ├── UnknownOutcomeError        UNAVAILABLE        the connection broke at commit: written or not is not known
│   ├── QueryError                 INTERNAL           Neo4j refused the query
│   └── UnsupportedNeo4jError      UNAVAILABLE        a server older than the oldest supported one
├── SchemaError                    UNAVAILABLE
│   ├── SchemaTooNewError                             the store was written by a newer papergraph
│   ├── MigrationChangedError                         an applied migration file was edited
│   ├── SchemaDriftError                              a constraint is missing or an index has other options
│   ├── OtherModelError                               the store's vectors are of another embedding model
│   ├── ModelChangedError                             another model came into use while something was on its way
│   └── ReembedError                                  models cannot be changed now, or not in this way
├── ClusterError                   UNAVAILABLE        a Dask cluster that cannot be reached, or is gone
├── EmbeddingError                 UNAVAILABLE        a model cannot be loaded, or made an unusable vector
│   └── EmbeddingModelUnavailableError                the store's vectors are of a model that cannot be loaded here
├── LanguageModelError
│   ├── ModelUnavailableError      UNAVAILABLE        none is configured, it cannot be reached, or it turns us away
│   ├── ModelDeadlineError         TIMEOUT            our own deadline passed
│   ├── ModelAnswerError           UNAVAILABLE        an answer that cannot be used; ``fault`` is one of a closed list
│   └── BudgetSpentError           UNAVAILABLE        the next call could cost more than what is left
├── UpstreamError                  UNAVAILABLE        the service that requests are passed on to cannot be asked
│   └── UpstreamDeadlineError      TIMEOUT            it took too long
├── PromptError                    BAD_USER_INPUT     a file of a prompt that cannot be used
├── UploadStoreError               UNAVAILABLE        an upload could not be written to disk
├── OutboundError                  UNAVAILABLE        a URL could not be fetched; ``url`` says which
│   ├── BlockedUrlError            BAD_USER_INPUT     it must not be asked for
│   ├── OutboundStatusError                           the server answered with another ``status`` than 200
│   ├── OutboundTooLargeError                         the answer has more bytes than allowed
│   └── OutboundDeadlineError      TIMEOUT            it took too long
├── SourceError                    BAD_USER_INPUT     a document cannot be read; ``reason`` is one of a closed list
├── DataFolderError                BAD_USER_INPUT     evaluation data that cannot be read
└── LocalNeo4jError                UNAVAILABLE        the local server cannot be fetched, started or stopped

The message says what was wrong, with the values, and what to do; the same values are attributes.
"""

from enum import StrEnum
from http import HTTPStatus


class Code(StrEnum):
    """The closed list of codes that every face reports."""

    BAD_USER_INPUT = "BAD_USER_INPUT"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"
    QUERY_TOO_COMPLEX = "QUERY_TOO_COMPLEX"
    PERSISTED_QUERY_NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"
    TIMEOUT = "TIMEOUT"
    UNAVAILABLE = "UNAVAILABLE"
    INTERNAL = "INTERNAL"


class PapergraphError(Exception):
    """Any error that papergraph raises on purpose; ``public`` is what clients may read of one that is ours to mend."""

    code = Code.INTERNAL
    public: str | None = None


class InputError(PapergraphError):
    """An argument that the caller can correct."""

    code = Code.BAD_USER_INPUT

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class UnknownCollectionError(InputError):
    """A collection that holds no paper."""

    def __init__(self, collection: str) -> None:
        super().__init__(
            f"there is no collection {collection!r}; ingest papers with --collection {collection} to create it",
            field="collection",
        )
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
        super().__init__(f"the query was refused, because {problem}; {advice}", field="query")
        self.problem, self.advice = problem, advice


class CypherError(InputError):
    """Cypher that somebody else wrote and that Neo4j refuses, or that failed at what it was given."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"Neo4j could not answer the query: {detail}", field="query")
        self.detail = detail


class ReadOnlyGraphError(PapergraphError):
    """A face that only reads the graph was asked to change it."""

    code = Code.BAD_USER_INPUT

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(
            f"{what} is not possible here: papergraph makes the graph's ids and keeps them true; {instead}"
        )
        self.what, self.instead = what, instead


class NotFoundError(PapergraphError):
    """An id or key that the graph does not hold."""

    code = Code.NOT_FOUND

    def __init__(self, what: str, value: str, *, field: str) -> None:
        super().__init__(f"there is no {what} {value!r}")
        self.what, self.value, self.field = what, value, field


class AccessError(PapergraphError):
    """A request that is not answered, whatever it asks; the message is for whoever asked."""

    code = Code.FORBIDDEN


class UnauthenticatedError(AccessError):
    """A request without a key where one is needed, or with one that is not valid."""

    code = Code.UNAUTHENTICATED


class ForbiddenError(AccessError):
    """A valid key that lacks the scope for what is asked; ``needed`` names it."""

    def __init__(self, what: str, needed: str) -> None:
        super().__init__(f"{what} takes a key with the scope {needed!r}, which this one does not have")
        self.what, self.needed = what, needed


class RateLimitedError(AccessError):
    """More was asked with one key, or from one address, than it may; ``retry_after_s`` says when there is room."""

    code = Code.RATE_LIMITED

    def __init__(self, limit: str, *, retry_after_s: int) -> None:
        super().__init__(f"more was asked than {limit} allows; try again in {retry_after_s} s")
        self.limit, self.retry_after_s = limit, retry_after_s


class OverloadedError(AccessError):
    """The server does as much at once as it takes already."""

    code = Code.UNAVAILABLE

    def __init__(self, *, retry_after_s: int) -> None:
        super().__init__(f"the server has as much to do as it takes at once; try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class ConflictError(PapergraphError):
    """Something that does not go with what was asked before, or with how far it is; ``field`` names the argument."""

    code = Code.CONFLICT

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class QueryTooComplexError(PapergraphError):
    """A GraphQL query that costs more than one may."""

    code = Code.QUERY_TOO_COMPLEX

    def __init__(self, cost: int, limit: int) -> None:
        super().__init__(
            f"the query costs {cost}, at most {limit} is allowed: ask for shorter pages, or less of each entry"
        )
        self.cost, self.limit = cost, limit


class PersistedQueryNotFoundError(PapergraphError):
    """A hash that no GraphQL query is known by, or a query that is not among the allowed ones."""

    code = Code.PERSISTED_QUERY_NOT_FOUND

    def __init__(self, message: str = "PersistedQueryNotFound") -> None:
        super().__init__(message)


class DatabaseError(PapergraphError):
    """Neo4j could not do what was asked."""

    code = Code.UNAVAILABLE


class DatabaseUnavailableError(DatabaseError):
    """Neo4j does not answer, refuses the login, or broke the connection."""


class DeadlineError(DatabaseError):
    """A database call outlived its deadline."""

    code = Code.TIMEOUT

    def __init__(self, query: str, deadline_s: float) -> None:
        super().__init__(f"{query} did not answer within {deadline_s:g} s")
        self.query, self.deadline_s = query, deadline_s


class CypherDeadlineError(DeadlineError):
    """A query that somebody else wrote took longer than it may."""

    def __init__(self, deadline_s: float) -> None:
        super().__init__("the query", deadline_s)
        self.public = f"{self}; match less, begin with what has an index, or end earlier with LIMIT"


class UnknownOutcomeError(DatabaseError):
    """The connection broke while a transaction was being committed; read again before reporting anything."""

    def __init__(self, query: str, detail: str) -> None:
        super().__init__(f"{query}: the connection broke at commit, so it may or may not be written ({detail})")
        self.query = query


class QueryError(DatabaseError):
    """Neo4j refused a query; ``status`` is its error code."""

    code = Code.INTERNAL

    def __init__(self, query: str, detail: str, *, status: str = "") -> None:
        super().__init__(f"{query}: {detail}")
        self.query, self.detail, self.status = query, detail, status


class UnsupportedNeo4jError(DatabaseError):
    """The server is older than the oldest supported one."""

    def __init__(self, *, found: str, needed: str) -> None:
        super().__init__(
            f"this is Neo4j {found}, but papergraph needs {needed} or newer: its full-text and vector SEARCH and its "
            "index options do not exist before; use a newer server, or unset PAPERGRAPH_NEO4J_URI to run a local one"
        )
        self.found, self.needed = found, needed


class SchemaError(PapergraphError):
    """The store's schema is not the one that this version works with."""

    code = Code.UNAVAILABLE


class SchemaTooNewError(SchemaError):
    """The store was written by a newer papergraph."""

    def __init__(self, *, found: str, known: str) -> None:
        super().__init__(f"the store has migration {found}, this papergraph knows up to {known}; use a newer version")
        self.found, self.known = found, known


class MigrationChangedError(SchemaError):
    """A migration was edited after it had been applied."""

    def __init__(self, migration: str) -> None:
        super().__init__(
            f"migration {migration} was applied to this store with another text; restore the file and put the change "
            "into a new migration"
        )
        self.migration = migration


class SchemaDriftError(SchemaError):
    """Constraints or indexes are missing or have other options than the model says."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("the store's schema is not as expected:\n  " + "\n  ".join(problems))
        self.problems = problems


class OtherModelError(SchemaError):
    """The store's vectors in use are of another embedding model."""

    def __init__(self, *, stored: str, configured: str, name: str) -> None:
        super().__init__(
            f"the store's vectors are of {stored}, but the configured model is {configured}; unset "
            f"PAPERGRAPH_EMBEDDING_MODEL to work with the store's model, or make vectors of the other one: papergraph "
            f"reembed --model {name}"
        )
        self.stored, self.configured = stored, configured


class ModelChangedError(SchemaError):
    """Another embedding model came into use while something was on its way that an older one had made."""

    def __init__(self, *, active: str) -> None:
        super().__init__(
            f"meanwhile the store's vectors in use are of another embedding model, {active}; nothing was written that "
            "is not of it: the same command again does the rest, with PAPERGRAPH_EMBEDDING_MODEL unset or set to it"
        )
        self.active = active


class ReembedError(SchemaError):
    """The store's models cannot be changed now, or not in this way; the message says what to do first."""


class ClusterError(PapergraphError):
    """A Dask cluster that cannot be reached, has no workers, or is gone."""

    code = Code.UNAVAILABLE


class EmbeddingError(PapergraphError):
    """An embedding model cannot be loaded, or made a vector that must not be stored."""

    code = Code.UNAVAILABLE


class EmbeddingModelUnavailableError(EmbeddingError):
    """The store's vectors in use are of a model that cannot be loaded here."""

    public = (
        "the vectors in use are of another embedding model now, which this server cannot load; its operator can set "
        "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model"
    )

    def __init__(self, *, identity: str, cause: str) -> None:
        super().__init__(
            f"the store's vectors are of {identity}, which cannot be loaded here: {cause}; set "
            "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model and start again, or go back to one that is here: "
            "papergraph reembed --back, or --model where it is no longer kept"
        )
        self.identity, self.cause = identity, cause


class LanguageModelError(PapergraphError):
    """A language model could not do what was asked."""

    code = Code.UNAVAILABLE
    public = "the language model did not do what was asked; try again, or without one"
    briefly = "the language model failed"
    """What an asker reads of it where the work went on without the model."""


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
        super().__init__(f"{what}: no usable answer within {limit_s:g} s; PAPERGRAPH_LLM_DEADLINE_S allows more")
        self.what, self.limit_s = what, limit_s


class AnswerFault(StrEnum):
    """What is wrong with an answer of a language model."""

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
        super().__init__(f"the budget of {limit} does not allow another call; what is done stays done")
        self.limit = limit


class UpstreamError(PapergraphError):
    """The service that requests are passed on to, ``PAPERGRAPH_UPSTREAM_URL``, cannot be asked.

    ``was_taken`` says whether it may have worked on the request nonetheless.
    """

    code = Code.UNAVAILABLE
    public = "the service that answers for this model cannot be asked at the moment; try again"

    def __init__(self, problem: str, *, was_taken: bool = True) -> None:
        super().__init__(f"the service at PAPERGRAPH_UPSTREAM_URL cannot be asked: {problem}")
        self.problem, self.was_taken = problem, was_taken


class UpstreamDeadlineError(UpstreamError):
    """It did not answer in time."""

    code = Code.TIMEOUT
    public = "the service that answers for this model took too long; try again"

    def __init__(self, deadline_s: float) -> None:
        super().__init__(f"no answer within {deadline_s:g} s")
        self.deadline_s = deadline_s


class PromptError(PapergraphError):
    """A file of a prompt that cannot be used."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail


class UploadStoreError(PapergraphError):
    """An upload could not be stored."""

    code = Code.UNAVAILABLE
    public = "the file could not be stored; try again later"


class OutboundError(PapergraphError):
    """A URL that could not be fetched."""

    code = Code.UNAVAILABLE

    def __init__(self, url: str, detail: str) -> None:
        super().__init__(f"{url} {detail}")
        self.url, self.detail = url, detail


class BlockedUrlError(OutboundError):
    """A URL that must not be asked for, by its text, its addresses, or where it leads to."""

    code = Code.BAD_USER_INPUT


class OutboundStatusError(OutboundError):
    """An answer with another status than 200.

    ``retry_after_s`` is how long the server asks to wait, if it does; ``told`` is how its answer begins.
    """

    def __init__(self, url: str, status: int, *, retry_after_s: float | None = None, told: str = "") -> None:
        super().__init__(url, f"was answered with status {status}" + (f": {told}" if told else ""))
        self.status, self.retry_after_s, self.told = status, retry_after_s, told

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered later: too much was asked, or the server has a fault of its own."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class OutboundTooLargeError(OutboundError):
    """An answer of more bytes than allowed; ``limit`` names what allows them."""

    def __init__(self, url: str, max_bytes: int, *, limit: str = "PAPERGRAPH_MAX_FILE_BYTES") -> None:
        super().__init__(url, f"is larger than {max_bytes:,} bytes ({limit})")
        self.max_bytes = max_bytes


class OutboundDeadlineError(OutboundError):
    """A fetch that took too long."""

    code = Code.TIMEOUT

    def __init__(self, url: str, deadline_s: float) -> None:
        super().__init__(url, f"was not there within {deadline_s:g} s")
        self.deadline_s = deadline_s


class Reason(StrEnum):
    """Why a document was not ingested, or a layer not made of its paper."""

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


class DataFolderError(PapergraphError):
    """A folder of evaluation data, or a line of it, that cannot be read; ``place`` says which."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail


class LocalNeo4jError(PapergraphError):
    """The local Neo4j cannot be fetched, started or stopped."""

    code = Code.UNAVAILABLE
