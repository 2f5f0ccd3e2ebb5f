"""GraphQL types of suggestions while a user types."""

from enum import StrEnum

import strawberry

from server.graph.suggestions import Suggestion
from server.graphql.derive import object_type


@strawberry.enum(description="Type of a suggested node.")
class SuggestionLabel(StrEnum):
    """Label of a node that is suggested."""

    PAPER = "Paper"
    AUTHOR = "Author"
    ENTITY = "Entity"
    CLUSTER = "Cluster"


@object_type(Suggestion, label=SuggestionLabel)
class SuggestionType:
    """A suggestion."""
