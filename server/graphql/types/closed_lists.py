"""GraphQL types of closed lists and of errors that a caller can mend."""

from collections.abc import Awaitable
from enum import StrEnum
from typing import Self, TypeVar

import strawberry

from papergraph.errors import Code, PapergraphError
from papergraph.ingest.enrichments.summaries import SummaryGenerator
from papergraph.ingest.graph.paper_sources import Provider
from papergraph.ingest.sources.editorial import Status
from papergraph.server.answers.quotes import HighlightKind
from papergraph.server.answers.records import Fault, Reason
from papergraph.server.auth.access import KeyScope as KeyScope  # one enum in the schema, for all that import it here
from papergraph.server.auth.access import Role as Role
from papergraph.server.graphql.derive import type_
from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.selection.result import Stage

# GraphQL enums of closed lists that are plain text on other interfaces, in small letters there


strawberry.enum(KeyScope, description="Scope of an API key; ADMIN includes all others.")
strawberry.enum(Role, name="CollectionRoleName", description="Role in a collection; each includes those before it.")


@strawberry.enum(
    description="Kind of a cluster: papers with one metadata value, similar chunks, or papers linked with each other."
)
class ClusterKind(StrEnum):
    """Kind of a cluster."""

    METADATA = "metadata"
    TOPIC = "topic"
    COMMUNITY = "community"


strawberry.enum(Status, name="EditorialStatus", description="Editorial status of a paper, by notices about it.")


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
strawberry.enum(HighlightKind, description="Kind of a highlighted span: a word of the query, or the best sentence.")
strawberry.enum(SummaryGenerator, description="Generator of a summary: a model, or the choice of sentences.")
strawberry.enum(Provider, name="FieldProvider", description="Origin of a field of a paper, most trusted first.")
strawberry.enum(Stage, name="SelectionStage", description="Stage of the solver at the proof or at the deadline.")


# Errors that a caller can mend, as values of a mutation's result


T = TypeVar("T")

strawberry.enum(Code, name="ErrorCode", description="Code of an error, as in extensions.code of request errors.")


@strawberry.interface(name="UserError", description="An error that the caller can correct.")
class Problem:
    """Error that a caller can correct."""

    message: str = strawberry.field(description="The problem, and its remedy.")
    code: Code = strawberry.field(description="Error code, one of those of request errors.")
    field: str | None = strawberry.field(description="Invalid argument.")

    @classmethod
    def of(cls, error: PapergraphError) -> Self:
        """Wrap an error."""
        return cls(message=str(error), code=error.code, field=getattr(error, "field", None))


@type_(description="An argument is not valid.")
class InvalidInput(Problem):
    """An argument is not valid."""


@type_(description="The named object does not exist.")
class NotFound(Problem):
    """The named object does not exist."""


@type_(description="The call conflicts with an earlier one, or with the current state.")
class Conflict(Problem):
    """The call conflicts with an earlier one, or with the current state."""


USER_ERRORS: dict[Code, type[InvalidInput | NotFound | Conflict]] = {
    Code.BAD_USER_INPUT: InvalidInput,
    Code.NOT_FOUND: NotFound,
    Code.CONFLICT: Conflict,
}


async def outcome(work: Awaitable[T]) -> T | InvalidInput | NotFound | Conflict:
    """Return what was done, or the error that the caller can mend; every other error is one of the request."""
    try:
        return await work
    except PapergraphError as error:
        if (kind := USER_ERRORS.get(error.code)) is None:
            raise
        return kind.of(error)
