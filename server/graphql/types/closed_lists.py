"""GraphQL enums of closed lists that are plain text on other interfaces, in small letters there."""

from enum import StrEnum

import strawberry

from server.auth.principal import KeyScope as KeyScope  # one enum in the schema, for all that import it here

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
