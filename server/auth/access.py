"""Access: who asks, and what an action needs."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import wraps
from typing import Any, TypeVar

from starlette.routing import BaseRoute, compile_path

from papergraph.errors import AccessError
from schema.ids import DEFAULT_COLLECTION

# Principal of a request: the scopes and the collections of its key


class KeyScope(StrEnum):
    """What a key is good for; the closed list."""

    READ = "read"
    ASK = "ask"
    INGEST = "ingest"
    CYPHER = "cypher"
    ADMIN = "admin"


@dataclass(frozen=True)
class Principal:
    """What a request may do.

    Attributes:
        id: Whose limits it counts for: the id of its key, or the client's address where no key is asked for.
        scopes: What it is good for; ``admin`` is good for everything.
        collections: The collections that it reaches, or None for all.
        requests_per_minute, cost_per_minute: Limits of its own beside those of the server, or None.
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
    """Return the grant of whoever need not show a key: this machine, and the command line."""
    return Principal(id, frozenset(KeyScope))


# Access to routes, fields of GraphQL and tools of MCP: scope, cost, deadline and queue, declared at each of them


ATTRIBUTE = "papergraph_access"
"""Where an endpoint carries its access."""

METADATA = "access"
"""Under which a field of GraphQL carries its own."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Anyone(Enum):
    """Who may send a request that needs no scope."""

    AT_ALL = "with a key or without"
    WITH_A_KEY = "with any valid key"


Need = KeyScope | Anyone


class Deadline(Enum):
    """Groups of requests by the time that they may take; the application knows how long each is."""

    DATABASE = auto()
    CYPHER = auto()
    MODEL = auto()
    UPLOAD = auto()


@dataclass(frozen=True)
class Access:
    """Terms on which a route, a field or a tool is used; put it under the decorator of a route.

    Attributes:
        need: The scope that it needs, or whose request it answers without one.
        cost: Its cost, or a function of some of its parameters, charged before it runs; 0 where it charges by itself.
            The function of a field of GraphQL takes the number of its ids.
        deadline: How long it may take.
        queued: Whether it waits for its turn; what stays open for long and does little meanwhile does not.
    """

    need: Need
    cost: int | Callable[..., int] = 0
    deadline: Deadline = Deadline.DATABASE
    queued: bool = False

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        """Declare the access of an endpoint, and charge its cost to its parameter ``context``.

        Raises:
            TypeError: It has a cost, and no context to charge.
        """
        declared = self._charging(endpoint) if self.cost else endpoint
        setattr(declared, ATTRIBUTE, self)
        return declared

    @property
    def metadata(self) -> Mapping[str, "Access"]:
        """The access of a field of GraphQL, for its ``metadata``."""
        return {METADATA: self}

    def _charging(self, endpoint: Any) -> Any:
        if "context" not in inspect.signature(endpoint).parameters:
            raise TypeError(f"{endpoint.__qualname__} has a cost and no parameter context")
        cost = self.cost
        names = () if isinstance(cost, int) else tuple(inspect.signature(cost).parameters)

        @wraps(endpoint)
        async def charged(**given: Any) -> Any:
            price = cost if isinstance(cost, int) else cost(**{name: given[name] for name in names})
            await given["context"].charge(price)
            work: Awaitable[Any] = endpoint(**given)
            return await work

        return charged


access = Access


class AccessTable:
    """Access of every route of an application, by method and path; it is read once, at start."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        """Read what the routes declare.

        Raises:
            LookupError: A route declares no access.
        """
        self.routes: Mapping[tuple[str, str], Access] = dict(_declared(routes))
        by_path: dict[str, dict[str, Access]] = {}
        for (method, path), declared in self.routes.items():
            by_path.setdefault(path, {})[method] = declared
        self._fixed = {path: methods for path, methods in by_path.items() if "{" not in path}
        self._varying = [
            (compile_path(path)[0], path, methods) for path, methods in by_path.items() if path not in self._fixed
        ]

    def methods(self, path: str) -> Mapping[str, Access]:
        """Return the access of each method of a path; nothing for a path without a route."""
        if path in self._fixed:
            return self._fixed[path]
        return next((methods for pattern, _, methods in self._varying if pattern.match(path)), {})

    def deadline(self, method: str, path: str) -> Deadline:
        """Return the deadline of a request; a path without a route has that of the database."""
        declared = self.methods(path).get(method)
        return declared.deadline if declared else Deadline.DATABASE

    def template(self, path: str) -> str | None:
        """Return the path of a route, with ``{name}`` for each parameter; None for a path without a route."""
        if path in self._fixed:
            return path
        return next((template for pattern, template, _ in self._varying if pattern.match(path)), None)


def require_fields(grant: Principal, fields: Mapping[str, Access | None]) -> None:
    """Let an operation use its fields; one that declares no access needs an administrator.

    Raises:
        AccessError: One of them needs a scope that the grant lacks.
    """
    for name, declared in fields.items():
        need = KeyScope.ADMIN if declared is None else declared.need
        if isinstance(need, KeyScope):
            grant.require(need, name)


def access_of(endpoint: object, path: str = "") -> Access:
    """Return the access that an endpoint declares.

    Raises:
        LookupError: It declares none.
    """
    declared = getattr(endpoint, ATTRIBUTE, None)
    if not isinstance(declared, Access):
        raise LookupError(f"route {path} declares no access: put @access(...) under its decorator")
    return declared


def _declared(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[tuple[str, str], Access]]:
    """Yield the access of each route, those of included routers too."""
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from _declared(included.routes, prefix + route.include_context.prefix)  # type: ignore[attr-defined]
            continue
        path = prefix + getattr(route, "path", "")
        declared = access_of(getattr(route, "endpoint", None), path)
        for method in sorted(getattr(route, "methods", None) or {"GET"}):
            yield (method, path), declared
