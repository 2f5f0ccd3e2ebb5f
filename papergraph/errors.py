"""Every error that papergraph raises on purpose, in one tree.

PapergraphError                    code INTERNAL
├── InputError                     BAD_USER_INPUT     what a caller typed is wrong; ``field`` names the argument
│   ├── UploadError                                   a file that is not taken; ``reason`` says why
│   ├── ChunkOptionsError                             a way of cutting that there is not; also a ValueError
│   ├── UnsafeQueryError                              Cypher of somebody else's that does more than read the graph
│   └── CypherError                                   Cypher of somebody else's that Neo4j does not take
├── ReadOnlyGraphError             BAD_USER_INPUT     a graph that is read only here was to be changed
├── NotFoundError                  NOT_FOUND          an id or key that the graph does not hold
│   └── UnknownCollectionError                        a collection that holds no paper
├── ConflictError                  CONFLICT           what is asked for does not go with what was asked before
├── AccessError
│   ├── UnauthenticatedError       UNAUTHENTICATED    no key, or none that is valid
│   ├── ForbiddenError             FORBIDDEN          the key is valid, and not for this
│   ├── RateLimitedError           RATE_LIMITED       more than a key may ask in a while, or at once
│   ├── OverloadedError            UNAVAILABLE        as much as the server takes at once is being done already
│   └── CypherStuckError           UNAVAILABLE        Neo4j goes on with a query that was ended
├── QueryTooComplexError           QUERY_TOO_COMPLEX  a GraphQL query costs more than one may
├── PersistedQueryNotFoundError    PERSISTED_QUERY_NOT_FOUND  no GraphQL query is known by this hash
├── DatabaseError                  UNAVAILABLE
│   ├── DatabaseUnavailableError   UNAVAILABLE        no answer, a refused login or a broken connection
│   ├── DeadlineError              TIMEOUT            our own deadline passed
│   │   └── CypherDeadlineError    TIMEOUT            Cypher of somebody else's took longer than it may
│   ├── UnknownOutcomeError        UNAVAILABLE        the connection broke at commit: written or not is not known
│   ├── QueryError                 INTERNAL           Neo4j refused the query
│   │   └── IndexUnavailableError  UNAVAILABLE        an index that it asks is missing or not built yet
│   ├── UnsupportedNeo4jError      UNAVAILABLE        a server older than the oldest supported one
│   └── GraphDataScienceMissingError  UNAVAILABLE     a server without the plug-in Graph Data Science
├── SchemaError                    UNAVAILABLE
│   ├── SchemaTooNewError                             the store or snapshot was written by a newer papergraph
│   ├── SchemaDriftError                              a constraint is missing or an index has other options
│   ├── OtherModelError                               the store's vectors are of another embedding model
│   ├── ModelChangedError                             another model came into use while something was on its way
│   ├── RestoringError                                a snapshot is being restored into the store
│   └── ReembedError                                  models cannot be changed now, or not in this way
├── ClusterError                   UNAVAILABLE        a Dask cluster that cannot be reached, or is gone
├── EmbeddingError                 UNAVAILABLE        a model cannot be loaded, or made an unusable vector
│   ├── EmbeddingModelUnavailableError                the store's vectors are of a model that cannot be loaded here
│   ├── DeviceMemoryError                             one text does not fit into the memory of the GPU
│   ├── DeviceMissingError                            a local model is to run on a GPU that is not there
│   ├── ModelLibrariesMissingError                    a local model needs the extra models
│   ├── RemoteCodeError                               a local model has program code that nobody allowed to run
│   ├── ModelServerError                              the server of a model cannot be asked
│   └── ServedModelChangedError                       another model answers at its address
├── ModelDownloadError             UNAVAILABLE        a model was not downloaded
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
├── ArchiveError                   UNAVAILABLE        an archive cannot be written, is damaged, or does not fit here
└── LocalNeo4jError                UNAVAILABLE        the local server cannot be fetched, started or stopped

The message says what was wrong, with the values, and what to do; the same values are attributes.
"""

from enum import StrEnum
from http import HTTPStatus
from pathlib import Path

from papergraph.extras import install_command

# The root of the errors, and those that several parts raise


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


class NotFoundError(PapergraphError):
    """An id or key that the graph does not hold."""

    code = Code.NOT_FOUND

    def __init__(self, what: str, value: str, *, field: str, message: str | None = None) -> None:
        super().__init__(message or f"There is no {what} {value!r}.")
        self.what, self.value, self.field = what, value, field


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

    def __init__(self, query: str, deadline_s: float) -> None:
        super().__init__(f"{query} did not answer within {deadline_s:g} s.")
        self.query, self.deadline_s = query, deadline_s


class CypherDeadlineError(DeadlineError):
    """A query that somebody else wrote took longer than it may."""

    def __init__(self, deadline_s: float) -> None:
        super().__init__("The query", deadline_s)
        self.public = f"{self} Match less, start from an indexed property, or add LIMIT."


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


class UnsupportedNeo4jError(DatabaseError):
    """The server is older than the oldest supported one."""

    def __init__(self, *, found: str, needed: str) -> None:
        super().__init__(
            f"Neo4j {found} is not supported: papergraph needs {needed} or newer, for SEARCH on full-text and vector "
            "indexes. Upgrade the server, or unset PAPERGRAPH_NEO4J_URI to run a local one."
        )
        self.found, self.needed = found, needed


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
    """The store's schema is not the one that this version works with."""

    code = Code.UNAVAILABLE


class SchemaTooNewError(SchemaError):
    """The store or snapshot was written by a newer papergraph."""

    def __init__(self, *, found: int, known: int) -> None:
        super().__init__(
            f"Its schema has version {found}; this papergraph knows versions up to {known}. Use a newer papergraph."
        )
        self.found, self.known = found, known


class SchemaDriftError(SchemaError):
    """Constraints or indexes are missing or have other options than the model says."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("The schema of the store differs from the expected one:\n  " + "\n  ".join(problems))
        self.problems = problems


class OtherModelError(SchemaError):
    """The store's vectors in use are of another embedding model."""

    def __init__(self, *, stored: str, configured: str, name: str) -> None:
        super().__init__(
            f"The vectors in the store are from {stored}, but the configured model is {configured}. Unset "
            f"PAPERGRAPH_EMBEDDING_MODEL to use the model of the store, or switch the store to the configured one: "
            f"papergraph embeddings switch {name}"
        )
        self.stored, self.configured = stored, configured


class ModelChangedError(SchemaError):
    """Another embedding model came into use while something was on its way that an older one had made."""

    def __init__(self, *, active: str) -> None:
        super().__init__(
            f"The store switched to embedding model {active} during this command, and no vector of another model was "
            "written. Run the command again, with PAPERGRAPH_EMBEDDING_MODEL unset or set to this model."
        )
        self.active = active


class RestoringError(SchemaError):
    """A snapshot is being restored into the store, which holds a part of it until then."""

    def __init__(self) -> None:
        super().__init__(
            "A snapshot is being restored into this store. Wait for it; if it was interrupted, run the same papergraph "
            "restore command again."
        )


class ReembedError(SchemaError):
    """The store's models cannot be changed now, or not in this way; the message says what to do first."""


class ArchiveError(PapergraphError):
    """An archive cannot be written, is damaged, or cannot be restored here; ``path`` says which file."""

    code = Code.UNAVAILABLE

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class LocalNeo4jError(PapergraphError):
    """The local Neo4j cannot be fetched, started or stopped."""

    code = Code.UNAVAILABLE


# Errors of documents and of what is fetched or worked on elsewhere


class ClusterError(PapergraphError):
    """A Dask cluster that cannot be reached, has no workers, or is gone."""

    code = Code.UNAVAILABLE


class UploadStoreError(PapergraphError):
    """An upload could not be stored."""

    code = Code.UNAVAILABLE
    public = "The file could not be stored. Retry later."


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

    def __init__(self, url: str, max_bytes: int, *, limit: str = "PAPERGRAPH_INGEST_MAX_FILE_BYTES") -> None:
        super().__init__(url, f"is larger than {max_bytes:,} bytes ({limit})")
        self.max_bytes = max_bytes


class OutboundDeadlineError(OutboundError):
    """A fetch that took too long."""

    code = Code.TIMEOUT

    def __init__(self, url: str, deadline_s: float) -> None:
        super().__init__(url, f"was not there within {deadline_s:g} s")
        self.deadline_s = deadline_s


class Reason(StrEnum):
    """Why a document was not ingested, or an enrichment not made of its paper."""

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


# Errors of embedding models, of the language model, and of a service that requests are passed on to


class EmbeddingError(PapergraphError):
    """An embedding model cannot be loaded, or made a vector that must not be stored."""

    code = Code.UNAVAILABLE


class EmbeddingModelUnavailableError(EmbeddingError):
    """The store's vectors in use are of a model that cannot be loaded here."""

    public = (
        "The vectors of the store are now from an embedding model that this server cannot load. Its operator must set "
        "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model."
    )

    def __init__(self, *, identity: str, cause: str) -> None:
        super().__init__(
            f"The vectors in the store are from {identity}, which cannot be loaded: {cause}. Set "
            "PAPERGRAPH_EMBEDDING_MODEL to a folder with that model and restart, or return to an available one: "
            "papergraph embeddings rollback, or embeddings switch if its vectors are deleted"
        )
        self.identity, self.cause = identity, cause


class ModelLibrariesMissingError(EmbeddingError):
    """A local model other than the packaged one needs the extra ``models``."""

    public = "The libraries of the server's model are missing. Its operator must install the extra models."

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the model {name} needs sentence-transformers and PyTorch, which are not installed: "
            f"{install_command('models')}. Without them, models run at a server: PAPERGRAPH_EMBEDDING_URL, "
            "PAPERGRAPH_RERANKER_URL"
        )
        self.name = name


class DeviceMissingError(EmbeddingError):
    """A local model is to run on a processor that this machine, or its PyTorch, does not have."""

    public = "The processor of the server's models is missing. Its operator must choose another one."

    def __init__(self, device: str, *, setting: str, there: str) -> None:
        super().__init__(
            f"{setting} is {device}, which PyTorch does not find here (it finds {there}): set it to auto or cpu, or "
            "install a PyTorch and driver for it, see https://pytorch.org/get-started"
        )
        self.device, self.setting = device, setting


class DeviceMemoryError(EmbeddingError):
    """One text alone does not fit into the memory of the processor that a local model runs on."""

    public = "The memory of the server's GPU is too small at present. Retry, or have its operator choose the CPU."

    def __init__(self, device: str, *, setting: str) -> None:
        super().__init__(
            f"the memory of {device} is too small for the model, even with one text at a time: end other programs "
            f"that use the GPU, choose a smaller model, or set {setting} to cpu"
        )
        self.device, self.setting = device, setting


class RemoteCodeError(EmbeddingError):
    """A local model consists of program code too, which nobody allowed to run."""

    public = "The server's model needs program code that its operator did not allow."

    def __init__(self, name: str, *, folder: str) -> None:
        super().__init__(
            f"the model {name!r} has program code of its own, which would run with all your rights. Read it in "
            f"{folder}; if you trust it, set PAPERGRAPH_EMBEDDING_TRUST_REMOTE_CODE={name}. Otherwise choose a model "
            "without code: papergraph models list"
        )
        self.name = name


class ModelDownloadError(PapergraphError):
    """A model was not downloaded; nothing of it is in use."""

    code = Code.UNAVAILABLE

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} was not downloaded: {problem}")
        self.name, self.problem = name, problem


class ModelServerError(EmbeddingError):
    """A server of an embedding model or reranker cannot be reached, turns us away, or sent an unusable answer.

    ``status`` is that of its answer, None without one.
    """

    public = "The server of a model failed. Retry."

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ServedModelChangedError(EmbeddingError):
    """Another model answers at the address of the embedding server; none of its vectors was used.

    ``cosine`` compares the vectors of a probe text before and now.
    """

    public = "The server of the embedding model has another model now. Its operator must restore the former one."

    def __init__(self, *, name: str, url: str, cosine: float) -> None:
        super().__init__(
            f"{url} has another model under the name {name} now: the vector of a probe text has cosine {cosine:.4f} "
            "with the one before. None of its vectors was used. Serve the former model again, or re-embed with the "
            f"new one: papergraph embeddings switch {name}"
        )
        self.name, self.url, self.cosine = name, url, cosine


class LanguageModelError(PapergraphError):
    """A language model could not do what was asked."""

    code = Code.UNAVAILABLE
    public = "The language model failed. Retry, or use a mode or pipeline without one."
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
        super().__init__(
            f"{what}: no usable answer within {limit_s:g} s. Raise PAPERGRAPH_LLM_TIMEOUT_S to wait longer."
        )
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
        self.problem, self.was_taken = problem, was_taken


class UpstreamDeadlineError(UpstreamError):
    """It did not answer in time."""

    code = Code.TIMEOUT
    public = "The service that answers for this model did not answer in time. Retry."

    def __init__(self, deadline_s: float) -> None:
        super().__init__(f"no answer within {deadline_s:g} s")
        self.deadline_s = deadline_s


class PromptError(PapergraphError):
    """A file of a prompt that cannot be used."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail


# Errors of a request: what it asks for is not acceptable, not allowed, or too much


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
