"""Principals: the scopes and collections of a caller."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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


class Role(StrEnum):
    """Roles in a collection; each includes those before it."""

    READ = "read"
    ANNOTATE = "annotate"
    EDIT = "edit"
    ADMINISTER = "administer"

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do all that the other may."""
        return list(Role).index(self) >= list(Role).index(other)


@dataclass(frozen=True)
class CommonBudget:
    """Daily tokens of a language model for all sign-ups by one invitation together.

    Attributes:
        invitation: Id of the invitation.
        tokens: Tokens per day (UTC).
    """

    invitation: str
    tokens: int


@dataclass(frozen=True)
class Principal:
    """Authenticated caller with its rights.

    Attributes:
        id: The id of its key, or the client's address if keys are optional.
        scopes: Scopes; ``admin`` includes all others.
        collections: Allowed collections, or None for all.
        requests_per_minute, cost_per_minute: Own limits in addition to the server's, or None.
        account: Id that limits count by; keys that were made with one another share it. Empty for ``id``.
        common_budget: Budget shared with other accounts, or None.
        has_key: False for the command line, and for requests to a server without keys.
        roles: Roles of its account in collections, instead of its scopes there.
        whole: The principal before its collections were restricted to those of an operation; None for itself.
    """

    id: str
    scopes: frozenset[KeyScope]
    collections: tuple[str, ...] | None = None
    requests_per_minute: int | None = None
    cost_per_minute: int | None = None
    account: str = ""
    common_budget: CommonBudget | None = None
    has_key: bool = True
    roles: Mapping[str, Role] = field(default_factory=dict, hash=False)
    whole: "Principal | None" = None

    def __post_init__(self) -> None:
        """Fill in the account of a principal that has its own."""
        object.__setattr__(self, "account", self.account or self.id)

    @property
    def owner(self) -> str:
        """Owner of what the caller writes: its account; empty without a key, so that one person is always the same."""
        return self.account if self.has_key else ""

    @property
    def viewer(self) -> str | None:
        """Whose private annotations the caller sees; None, those of all, for the owner of the store."""
        return self.owner if self.has_key else None

    @property
    def is_admin(self) -> bool:
        """Whether it may change what others own."""
        return KeyScope.ADMIN in self.scopes

    @property
    def default_collection(self) -> str:
        """The collection of a request that names none: main where it is reached, else the first by name."""
        reached = self.collections
        return DEFAULT_COLLECTION if reached is None or DEFAULT_COLLECTION in reached else min(reached)

    def require(self, needed: KeyScope, what: str) -> None:
        """Let ``what`` be done.

        Raises:
            AccessError: It takes a scope that this principal lacks.
        """
        if needed not in self.scopes and KeyScope.ADMIN not in self.scopes:
            raise AccessError.scope(what, needed.value)

    def acting(self, needed: KeyScope, least: Role | None, what: str) -> "Principal":
        """Return the principal with the collections where it may do ``what``.

        In a collection where its account has a role, the role decides instead of the scopes. Keys that were made with
        the account's key never get more than their scopes.

        Args:
            needed: Scope of the operation.
            least: Role that allows it without the scope; None if only the scope does.
            what: The operation, for the message.

        Raises:
            AccessError: It may do ``what`` in no collection.
        """
        if self.collections is None or not self.roles:
            self.require(needed, what)
            return self
        has_scope = needed in self.scopes
        is_granted = has_scope or (least is not None and self.id == self.account)
        allowed = [
            name
            for name in self.reached
            if (self.roles[name].includes(least or Role.READ) and is_granted if name in self.roles else has_scope)
        ]
        if not allowed:
            role = f" or the role {least.value!r} in a collection" if least is not None else ""
            raise AccessError(f"The API key lacks scope {needed.value!r}{role}, which {what} requires.")
        return replace(self, collections=tuple(allowed), whole=self.whole or self)

    @property
    def reached(self) -> tuple[str, ...]:
        """Names of the collections of the key and of its roles; empty if it reaches all."""
        own = self.roles if self.id == self.account else ()
        return tuple(sorted({*(self.collections or ()), *own}))


def everything(id: str = "") -> Principal:
    """Return a principal with all rights, for the command line and local requests."""
    return Principal(id, frozenset(KeyScope), has_key=False)
