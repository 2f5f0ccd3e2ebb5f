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

from papergraph.errors.base import Code as Code
from papergraph.errors.base import ConflictError as ConflictError
from papergraph.errors.base import InputError as InputError
from papergraph.errors.base import NotFoundError as NotFoundError
from papergraph.errors.base import PapergraphError as PapergraphError
from papergraph.errors.database import ArchiveError as ArchiveError
from papergraph.errors.database import CypherDeadlineError as CypherDeadlineError
from papergraph.errors.database import DatabaseError as DatabaseError
from papergraph.errors.database import DatabaseUnavailableError as DatabaseUnavailableError
from papergraph.errors.database import DeadlineError as DeadlineError
from papergraph.errors.database import GraphDataScienceMissingError as GraphDataScienceMissingError
from papergraph.errors.database import IndexUnavailableError as IndexUnavailableError
from papergraph.errors.database import LocalNeo4jError as LocalNeo4jError
from papergraph.errors.database import ModelChangedError as ModelChangedError
from papergraph.errors.database import OtherModelError as OtherModelError
from papergraph.errors.database import QueryError as QueryError
from papergraph.errors.database import ReembedError as ReembedError
from papergraph.errors.database import RestoringError as RestoringError
from papergraph.errors.database import SchemaDriftError as SchemaDriftError
from papergraph.errors.database import SchemaError as SchemaError
from papergraph.errors.database import SchemaTooNewError as SchemaTooNewError
from papergraph.errors.database import UnknownOutcomeError as UnknownOutcomeError
from papergraph.errors.database import UnsupportedNeo4jError as UnsupportedNeo4jError
from papergraph.errors.documents import BlockedUrlError as BlockedUrlError
from papergraph.errors.documents import ClusterError as ClusterError
from papergraph.errors.documents import DataFolderError as DataFolderError
from papergraph.errors.documents import OutboundDeadlineError as OutboundDeadlineError
from papergraph.errors.documents import OutboundError as OutboundError
from papergraph.errors.documents import OutboundStatusError as OutboundStatusError
from papergraph.errors.documents import OutboundTooLargeError as OutboundTooLargeError
from papergraph.errors.documents import Reason as Reason
from papergraph.errors.documents import SourceError as SourceError
from papergraph.errors.documents import UploadStoreError as UploadStoreError
from papergraph.errors.models import AnswerFault as AnswerFault
from papergraph.errors.models import BudgetSpentError as BudgetSpentError
from papergraph.errors.models import DeviceMemoryError as DeviceMemoryError
from papergraph.errors.models import DeviceMissingError as DeviceMissingError
from papergraph.errors.models import EmbeddingError as EmbeddingError
from papergraph.errors.models import EmbeddingModelUnavailableError as EmbeddingModelUnavailableError
from papergraph.errors.models import LanguageModelError as LanguageModelError
from papergraph.errors.models import ModelAnswerError as ModelAnswerError
from papergraph.errors.models import ModelDeadlineError as ModelDeadlineError
from papergraph.errors.models import ModelDownloadError as ModelDownloadError
from papergraph.errors.models import ModelLibrariesMissingError as ModelLibrariesMissingError
from papergraph.errors.models import ModelServerError as ModelServerError
from papergraph.errors.models import ModelUnavailableError as ModelUnavailableError
from papergraph.errors.models import PromptError as PromptError
from papergraph.errors.models import RemoteCodeError as RemoteCodeError
from papergraph.errors.models import ServedModelChangedError as ServedModelChangedError
from papergraph.errors.models import UpstreamDeadlineError as UpstreamDeadlineError
from papergraph.errors.models import UpstreamError as UpstreamError
from papergraph.errors.requests import AccessError as AccessError
from papergraph.errors.requests import ChunkOptionsError as ChunkOptionsError
from papergraph.errors.requests import CypherError as CypherError
from papergraph.errors.requests import CypherStuckError as CypherStuckError
from papergraph.errors.requests import ForbiddenError as ForbiddenError
from papergraph.errors.requests import OverloadedError as OverloadedError
from papergraph.errors.requests import PersistedQueryNotFoundError as PersistedQueryNotFoundError
from papergraph.errors.requests import QueryTooComplexError as QueryTooComplexError
from papergraph.errors.requests import RateLimitedError as RateLimitedError
from papergraph.errors.requests import ReadOnlyGraphError as ReadOnlyGraphError
from papergraph.errors.requests import UnauthenticatedError as UnauthenticatedError
from papergraph.errors.requests import UnknownCollectionError as UnknownCollectionError
from papergraph.errors.requests import UnsafeQueryError as UnsafeQueryError
from papergraph.errors.requests import UploadError as UploadError
