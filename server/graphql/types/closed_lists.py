"""GraphQL enums of closed lists that are plain text on other interfaces, in small letters there."""

from enum import StrEnum

import strawberry

from ingest.enrichments.summaries import SummaryGenerator
from ingest.graph.paper_sources import Provider
from server.answers.quotes import HighlightKind
from server.answers.records import Fault, Reason
from server.auth.principal import KeyScope as KeyScope  # one enum in the schema, for all that import it here
from server.retrieval.candidates import RetrieverName
from server.selection.result import Stage

strawberry.enum(KeyScope, description="What an API key is good for; ADMIN is good for everything.")


@strawberry.enum(
    description="Kind of a cluster: papers with one metadata value, similar chunks, or papers linked with each other."
)
class ClusterKind(StrEnum):
    """Kind of a cluster."""

    METADATA = "metadata"
    TOPIC = "topic"
    COMMUNITY = "community"


@strawberry.enum(description="Review of a question.")
class Review(StrEnum):
    """Review of a question."""

    ACCEPTED = "accepted"
    EDITED = "edited"


@strawberry.enum(description="Questions by their review; NONE: nobody reviewed them.")
class ReviewFilter(StrEnum):
    """Review of questions to list."""

    ACCEPTED = "accepted"
    EDITED = "edited"
    NONE = "none"


@strawberry.enum(description="Limit that cut the rows of a query.")
class RowLimit(StrEnum):
    """Limit that cut the rows of a query."""

    ROWS = "rows"
    BYTES = "bytes"


@strawberry.enum(description="Method of a selection; see docs/selection.md.")
class SelectionBackend(StrEnum):
    """Method of a selection."""

    EXACT = "exact"
    CPSAT = "cpsat"
    ANNEAL = "anneal"
    MMR = "mmr"
    TOP_K = "top_k"
    PBIT = "pbit"


strawberry.enum(RetrieverName, name="Retriever", description="Retriever.")
strawberry.enum(Reason, name="RefusalReason", description="Reason of a refusal.")
strawberry.enum(Fault, name="AnswerFault", description="Reason why generated text was dropped.")
strawberry.enum(HighlightKind, description="What a span marks: a word of the query, or the best sentence.")
strawberry.enum(SummaryGenerator, description="Generator of a summary: a model, or the choice of sentences.")
strawberry.enum(Provider, name="FieldProvider", description="Who states a field of a paper, most trusted first.")
strawberry.enum(Stage, name="SelectionStage", description="Stage of the solver at the proof or at the deadline.")
