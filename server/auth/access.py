"""Principals: the scopes and collections of a caller."""

from dataclasses import dataclass
from enum import StrEnum

from papergraph.errors import AccessError
from papergraph.schema.ids import DEFAULT_COLLECTION


class KeyScope(StrEnum):
    """Scopes of keys."""

    READ = "read"
    ASK = "ask"
    INGEST = "ingest"
    CYPHER = "cypher"
    ADMIN = "admin"


@dataclass(frozen=True)
class Principal:
    """Authenticated caller with its rights.

    Attributes:
        id: Identity for limits: the id of its key, or the client's address if keys are optional.
        scopes: Scopes; ``admin`` includes all others.
        collections: Allowed collections, or None for all.
        requests_per_minute, cost_per_minute: Own limits in addition to the server's, or None.
    """

    id: str
    scopes: frozenset[KeyScope]
    collections: tuple[str, ...] | None = None
    requests_per_minute: int | None = None
    cost_per_minute: int | None = None

    @property
    def default_collection(self) -> str:
        """The collection of a request that names none: main where it is reached, else the first by name."""
        reached = self.collections
        return DEFAULT_COLLECTION if reached is None or DEFAULT_COLLECTION in reached else min(reached)

    def require(self, needed: KeyScope, what: str) -> None:
        """Let ``what`` be done.

        Raises:
            AccessError: It takes a scope that this grant lacks.
        """
        if needed not in self.scopes and KeyScope.ADMIN not in self.scopes:
            raise AccessError.scope(what, needed.value)


def everything(id: str = "") -> Principal:
    """Return a principal with all rights, for the command line and local requests."""
    return Principal(id, frozenset(KeyScope))
