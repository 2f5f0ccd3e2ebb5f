"""Operations: the scope, the cost, the deadline and the queue of all that a caller may do, equal on all interfaces.

A route of REST, a field of GraphQL and a tool of MCP name the operation that they carry out. A unit of cost is about
the work of reading one field. An operation costs its price; REST and MCP add the fields of the response, with lists as
long as the request says, and GraphQL the fields of the query (:mod:`papergraph.server.graphql.cost`).
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import wraps
from math import prod
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from starlette.routing import BaseRoute, compile_path

from papergraph.errors import AccessError, Code, PapergraphError
from papergraph.records import Marker, Record, record_fields
from papergraph.server.auth.access import KeyScope, Principal, Role
from papergraph.server.graph.nodes import MAX_PAGE

ATTRIBUTE = "papergraph_operation"
"""Attribute of an endpoint with its operation."""

METADATA = "operation"
"""Under which a field of GraphQL carries its own."""

LIST_LENGTH = 5
"""Assumed length of a list without a page: the authors of a paper, the retrievers of a hit."""

COUNT = 10
"""Cost of counting a whole list."""

MORE = 500
"""Cost of each further collection of a search or an answer."""

LEAST = 1

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


ROLES = {KeyScope.READ: Role.READ, KeyScope.INGEST: Role.EDIT}
"""Roles that allow the operations of a scope; the other scopes are those of the key alone."""


class Anyone(Enum):
    """Callers of an operation that needs no scope."""

    AT_ALL = "with a key or without"
    WITH_A_KEY = "with any valid key"


class Deadline(Enum):
    """Groups of requests by the time that they may take; the application knows how long each is."""

    DATABASE = auto()
    CYPHER = auto()
    MODEL = auto()
    UPLOAD = auto()


class Included(Marker):
    """Note on an optional field of a response, which the request includes, with the name of the part."""


@dataclass(frozen=True)
class Operation:
    """Terms of an operation; it decorates the endpoints that carry it out.

    Attributes:
        need: The scope that it needs, or the callers that need none.
        price: Cost beside the fields of the response.
        per_id: Cost of each id of the request.
        several: Whether the price grows with the collections, pipelines and readers that the request names.
        whole: Whether the price is that of the response as well.
        deadline: How long it may take.
        queued: Whether it waits for its turn; a request that stays open and does little meanwhile does not.
        free: Whether it costs nothing.
        length: Length of the lists of the response, from the context and the request; else the request's ``first``.
        role: Role in a collection that allows it there without the scope; default: that of :data:`ROLES`.
    """

    need: KeyScope | Anyone
    price: int = 0
    per_id: int = 0
    several: bool = False
    whole: bool = False
    deadline: Deadline = Deadline.DATABASE
    queued: bool = True
    free: bool = False
    length: Callable[[Any, Any], int] | None = None
    role: Role | None = None

    def allow(self, principal: Principal, what: str) -> Principal:
        """Return the principal with the collections where it may do the operation.

        Raises:
            AccessError: It may do it nowhere.
        """
        if not isinstance(self.need, KeyScope):
            return principal
        return (principal.whole or principal).acting(self.need, self.role or ROLES.get(self.need), what)

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        """Declare the operation of an endpoint, which answers with the type that it returns."""
        return self.answering(inspect.signature(endpoint).return_annotation)(endpoint)

    def answering(self, model: Any) -> Callable[[Endpoint], Endpoint]:
        """Return the decorator of an endpoint that answers with a model; its parameter ``context`` is charged."""

        def declare(endpoint: Endpoint) -> Endpoint:
            has_cost = "context" in inspect.signature(endpoint).parameters and not self.free
            declared = self._charging(endpoint, model) if has_cost else endpoint
            setattr(declared, ATTRIBUTE, self)
            return declared

        return declare

    @property
    def metadata(self) -> Mapping[str, "Operation"]:
        """The operation of a field of GraphQL, for its ``metadata``."""
        return {METADATA: self}

    def cost(self, values: Mapping[str, Any]) -> int:
        """Return the cost of a request with these values, without its response."""
        ways = [values.get(name) for name in ("pipelines", "readers")] if self.several else []
        return for_several(self.price, values.get("collections") if self.several else None, *ways) + self.per_id * len(
            _ids(values)
        )

    def _charging(self, endpoint: Any, returned: Any) -> Any:
        @wraps(endpoint)
        async def charged(**given: Any) -> Any:
            context, wanted = given["context"], given.get("wanted")
            values = {**given, **(vars(wanted) if hasattr(wanted, "__dict__") else {})}
            cost = self.cost(values)
            if not self.whole:
                length = _length(values) if self.length is None else self.length(context, wanted)
                cost += response_cost(returned, length=length, included=values.get("include", ()))
                cost += COUNT if values.get("count") is True else 0
            await context.charge(max(LEAST, cost))
            work: Awaitable[Any] = endpoint(**given)
            return await work

        return charged


def for_several(price: int, collections: Sequence[Any] | None, *ways: Sequence[Any] | None) -> int:
    """Return the price of a search or an answer that names several collections, and several ways to answer."""
    return prod(len(one) for one in ways if one) * (price + MORE * max(0, len(collections or ()) - 1))


def response_cost(annotation: Any, *, length: int = LIST_LENGTH, included: Sequence[str] = ()) -> int:
    """Return the cost of a response: 1 for each field, and of each list that of an entry as often as it is long.

    Args:
        annotation: Type of the response.
        length: Length of its lists; lists in entries have the assumed length.
        included: Optional parts of the response.
    """
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return response_cost(args[0], length=length, included=included)
    if origin in (list, tuple):
        entry = response_cost(args[0], included=included)
        return 1 if entry == 1 else 1 + length * (entry - 1)
    if isinstance(annotation, UnionType) or origin is Union:
        return max(response_cost(one, length=length, included=included) for one in args)
    if not isinstance(annotation, type):
        return 1
    if issubclass(annotation, Record):
        return 1 + sum(
            response_cost(one.type, length=length, included=included)
            for one in record_fields(annotation)
            if all(note.name in included for note in one.markers if isinstance(note, Included))
        )
    if issubclass(annotation, BaseModel):
        return 1 + sum(
            response_cost(one.annotation, length=length, included=included)
            for one in annotation.model_fields.values()
            if all(note.name in included for note in one.metadata if isinstance(note, Included))
        )
    return 1


def _ids(values: Mapping[str, Any]) -> Sequence[Any]:
    found = values.get("ids") or values.get("id")
    return found if isinstance(found, list | tuple) else ()


def _length(values: Mapping[str, Any]) -> int:
    hops, first = values.get("max_hops"), values.get("first")
    found = hops + 1 if hops is not None else first if first is not None else len(_ids(values)) or LIST_LENGTH
    return min(max(int(found), 1), MAX_PAGE)


def too_complex(cost: int, limit: int) -> PapergraphError:
    """Return the error of a request that costs more than one may."""
    told = f"The query costs {cost}; the limit is {limit}. Request shorter pages or fewer fields."
    return PapergraphError(told, code=Code.QUERY_TOO_COMPLEX)


# All operations: what is read, what needs a language model, what changes the graph, and the service itself


READ = Operation(KeyScope.READ)
"""Reading of the graph."""
RELATED = Operation(KeyScope.READ, price=100)
PATH = Operation(KeyScope.READ, price=1000)
NEIGHBOURHOOD = Operation(KeyScope.READ, price=1000, whole=True)
FACETS = Operation(KeyScope.READ, price=200, whole=True)
"""Counting of the values that the papers of a collection have."""
REGIONS = Operation(KeyScope.READ, price=10, whole=True)
PAPER_TEXT = Operation(KeyScope.READ, price=10, whole=True)
MAP = Operation(KeyScope.READ, price=1000, whole=True)
"""Places of all papers of a collection."""
NAMED_QUERIES = Operation(KeyScope.READ, price=200, whole=True)
"""Texts of the named queries: some 60 kB."""
EXPORT = Operation(KeyScope.READ, per_id=20, whole=True)
FILE = Operation(KeyScope.READ, price=10, whole=True, deadline=Deadline.UPLOAD, queued=False)
PAGE_IMAGE = Operation(KeyScope.READ, price=100, whole=True, deadline=Deadline.UPLOAD)
MODELS = Operation(KeyScope.READ, price=LEAST, whole=True, queued=False)

SEARCH = Operation(KeyScope.READ, price=2000, several=True, deadline=Deadline.MODEL)
ANSWER = Operation(KeyScope.ASK, price=4000, several=True, whole=True, deadline=Deadline.MODEL, queued=False)
"""A search, and looking through what it found; the language model is counted in tokens."""
SUMMARIZE = Operation(KeyScope.ASK, price=4000, whole=True, deadline=Deadline.MODEL, queued=False)
DRAFT = Operation(KeyScope.ASK, price=20_000, whole=True, deadline=Deadline.MODEL, queued=False)
"""Check of a draft: up to 200 searches, each within one paper."""
RATE = Operation(KeyScope.ASK)
"""Rating and deletion of stored answers."""
ANNOTATE = Operation(KeyScope.ASK, per_id=10, role=Role.ANNOTATE)
"""Making, change and deletion of annotations."""
CYPHER = Operation(KeyScope.CYPHER, price=2000, whole=True, deadline=Deadline.CYPHER, queued=False)

CHANGE = Operation(KeyScope.INGEST)
"""Changes of papers, collections, questions and jobs, and reading of jobs."""
DELETE_COLLECTION = Operation(KeyScope.INGEST, deadline=Deadline.MODEL, role=Role.ADMINISTER)
ESTIMATE = Operation(KeyScope.INGEST, price=1000, whole=True, deadline=Deadline.MODEL)
ENRICH = Operation(KeyScope.INGEST, deadline=Deadline.MODEL)
COPY = Operation(KeyScope.INGEST, per_id=100, whole=True, deadline=Deadline.MODEL)
FOLLOW_JOB = Operation(KeyScope.INGEST, queued=False)
UPLOAD = Operation(KeyScope.INGEST, price=10, whole=True, deadline=Deadline.UPLOAD, queued=False)
MANAGE_UPLOADS = Operation(KeyScope.INGEST, queued=False)

ADMINISTER = Operation(KeyScope.ADMIN)
SHARE = Operation(KeyScope.ADMIN, role=Role.ADMINISTER)
"""Roles in a collection: listed and set."""
PUSH = Operation(KeyScope.ADMIN, deadline=Deadline.MODEL)
"""Long requests to a service of the operator, such as Zotero."""
METRICS = Operation(KeyScope.ADMIN, free=True, queued=False)
MANAGE_KEYS = Operation(Anyone.WITH_A_KEY)
"""Keys and sessions of the caller."""
VIEWER = Operation(Anyone.WITH_A_KEY, free=True, queued=False)
"""The caller and the server, and pages that describe the interfaces."""
GATEWAY = Operation(Anyone.WITH_A_KEY, free=True, queued=False, deadline=Deadline.MODEL)
"""GraphQL and MCP as a whole: their fields and tools have operations of their own."""
SIGN_UP = Operation(Anyone.AT_ALL, free=True)
PUBLIC = Operation(Anyone.AT_ALL, free=True, queued=False)


# Operations of routes and fields


class AccessTable:
    """Operation of every route of an application, by method and path; it is read once, at start."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        """Read what the routes declare.

        Raises:
            LookupError: A route declares none.
        """
        self.routes: Mapping[tuple[str, str], Operation] = dict(_declared(routes))
        by_path: dict[str, dict[str, Operation]] = {}
        for (method, path), declared in self.routes.items():
            by_path.setdefault(path, {})[method] = declared
        self._fixed = {path: methods for path, methods in by_path.items() if "{" not in path}
        self._varying = [
            (compile_path(path)[0], path, methods) for path, methods in by_path.items() if path not in self._fixed
        ]

    def methods(self, path: str) -> Mapping[str, Operation]:
        """Return the operation of each method of a path; nothing for a path without a route."""
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


def allow_fields(principal: Principal, fields: Mapping[str, Operation | None]) -> Principal:
    """Return the principal with the collections where it may use all fields; undeclared ones need an administrator.

    Raises:
        AccessError: It may use all fields in no collection.
    """
    found = principal
    for name, declared in fields.items():
        allowed = (declared or ADMINISTER).allow(principal, name)
        if allowed.whole is None:
            continue
        both = tuple(
            one for one in allowed.collections or () if found.whole is None or one in (found.collections or ())
        )
        if not both:
            raise AccessError(f"No collection allows the API key both {name} and the other fields. Send them apart.")
        found = replace(allowed, collections=both)
    return found


def operation_of(endpoint: object, path: str = "") -> Operation:
    """Return the operation that an endpoint declares.

    Raises:
        LookupError: It declares none.
    """
    declared = getattr(endpoint, ATTRIBUTE, None)
    if not isinstance(declared, Operation):
        raise LookupError(f"route {path} declares no operation: put an operation, such as @READ, under its decorator")
    return declared


def _declared(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[tuple[str, str], Operation]]:
    """Yield the operation of each route, those of included routers too."""
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from _declared(included.routes, prefix + route.include_context.prefix)  # type: ignore[attr-defined]
            continue
        path = prefix + getattr(route, "path", "")
        declared = operation_of(getattr(route, "endpoint", None), path)
        for method in sorted(getattr(route, "methods", None) or {"GET"}):
            yield (method, path), declared
