"""Options of GraphQL that the operator sets."""

from dataclasses import dataclass, field
from typing import Self

from cachetools import LRUCache
from graphql import DocumentNode

from papergraph.settings import Settings
from server.graphql.persisted import PersistedQueries
from server.shared_counters import Shared

MAX_VALID_DOCUMENTS = 64


@dataclass(frozen=True)
class Rules:
    """What may be asked of one server.

    Attributes:
        max_cost: Highest cost of an operation, by :mod:`server.graphql.cost`.
        introspection: Whether the schema may be asked for; without it errors suggest no names either.
        persisted: The queries known by their hash.
        valid: The latest documents that were found to be valid by these rules, by their text.
    """

    max_cost: int = 20_000
    introspection: bool = True
    persisted: PersistedQueries = field(default_factory=PersistedQueries)
    valid: LRUCache[str, DocumentNode] = field(default_factory=lambda: LRUCache(MAX_VALID_DOCUMENTS))

    @classmethod
    def of(cls, settings: Settings, shared: Shared | None = None) -> Self:
        """Return the rules that the settings name; ``shared`` is what the processes of a server count together.

        Raises:
            InputError: The list of allowed queries cannot be used.
        """
        return cls(
            max_cost=settings.limits.cost_per_request,
            introspection=settings.graphql.introspection,
            persisted=PersistedQueries.listed_in(settings.graphql.allowed_queries, shared),
        )
