"""Requests and responses of REST: parameters, costs, and models of answers."""

from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from papergraph.errors import InputError
from papergraph.records import Record, record_fields
from schema.ids import COLLECTION
from server.auth import costs as prices
from server.graph.nodes import MAX_PAGE
from server.operations.pagination import MAX_CURSOR_CHARS
from server.retrieval.scope import MOST_COLLECTIONS

# Base models of request bodies and parameters


class RequestModel(BaseModel):
    """Request body or parameters in camelCase; unknown names are refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", use_attribute_docstrings=True
    )


M = TypeVar("M", bound=BaseModel)


def read_body(model: type[M], body: Mapping[str, Any], *, within: str = "") -> M:
    """Return the body of a request, or of a part of one that is named.

    Raises:
        InputError: A name is unknown, or a value is out of its range.
    """
    try:
        return model.model_validate(dict(body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(filter(None, (within, *map(str, first["loc"]))))
        raise InputError(f"{place}: {first['msg']}", field=place) from error


class PageOf(RequestModel):
    """Page of a list."""

    first: int = Field(default=20, ge=1, le=MAX_PAGE)
    """Entries per page."""

    after: str | None = Field(default=None, max_length=MAX_CURSOR_CHARS)
    """``next`` of the previous page."""

    count: bool = False
    """Return the length of the whole list too."""


class InCollection(RequestModel):
    """Collection to read."""

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection; default: main, or the first that the key reaches."""


class InCollections(InCollection):
    """Collections to search."""

    collections: list[Annotated[str, Field(pattern=f"^{COLLECTION.pattern}$")]] | None = Field(
        default=None, min_length=1, max_length=MOST_COLLECTIONS
    )
    """Names of collections to search together, instead of one."""


class PageOfCollection(InCollection, PageOf):
    """Page of a list of a collection."""


# Costs of REST: those of the GraphQL query that reads as much.
#
# A field costs 1, and a list what an entry costs, as often as its page is long; the prices that go beyond are those of
# :mod:`server.auth.access`. GraphQL reckons from the text of a query, REST from the model that it answers with.


def price_of(model: type[BaseModel] | type[Record]) -> int:
    """Return the cost of an entry of this form."""
    kind: type = model
    return _price_of(kind)


@cache
def _price_of(model: Any) -> int:
    if issubclass(model, Record):
        return sum(_price(field.type) for field in record_fields(model))
    return sum(_price(field.annotation) for field in model.model_fields.values())


def page_price(model: type[BaseModel] | type[Record], n: int, *, counted: bool = False) -> int:
    """Return what a page of ``n`` entries costs, with its cursor, and its length where it is ``counted``."""
    return 3 + within_a_page(n) * price_of(model) + (prices.COUNT if counted else 0)


def page_cost(model: type[BaseModel] | type[Record]) -> Callable[..., int]:
    """Return what prices a page of a list by the parameters ``wanted`` of its route."""
    return lambda wanted: page_price(model, wanted.first, counted=wanted.count)


def within_a_page(n: int) -> int:
    """Return how many entries are charged for: what is out of bounds is refused elsewhere."""
    return min(max(n, 1), MAX_PAGE)


def _price(annotation: Any) -> int:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _price(args[0])
    if origin in (list, tuple):
        inner = _price(args[0])
        return 1 if inner == 1 else 1 + prices.LIST_LENGTH * (inner - 1)
    if isinstance(annotation, UnionType) or origin is Union:
        return max(map(_price, args))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel | Record):
        return 1 + price_of(annotation)
    return 1


# Base models of responses: pages, lists, problems, and the records that stand in responses as they are


T = TypeVar("T")


class ResponseModel(BaseModel):
    """Anything that is answered; names are camelCase outside."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        from_attributes=True,
        use_attribute_docstrings=True,
    )


OF_MANY = ConfigDict(use_attribute_docstrings=False)
"""For models of any type: pydantic would look the docstrings up anew for each, 40 ms a time as the server starts."""


def entry_name(params: tuple[Any, ...]) -> str:
    """Return the name of the type of a list's entries; one that may be null has the name of the other."""
    named, *_ = get_args(params[0]) or params
    return str(named.__name__)


class Page(ResponseModel, Generic[T]):
    """Page of a list in a stable order."""

    model_config = OF_MANY

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return the name in the schema, such as ``PaperPage``."""
        return f"{entry_name(params)}Page"

    data: list[T]
    next: str | None = Field(
        description="Cursor of the next page for ``after``; null at the end. The header ``Link`` has the full address."
    )
    total: int | None = Field(default=None, description="Length of the whole list, if ``count`` is set.")


class ListResponse(ResponseModel, Generic[T]):
    """List without pages."""

    model_config = OF_MANY

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return the name in the schema, such as ``PipelineList``."""
        return f"{entry_name(params)}List"

    data: list[T]


class ProblemError(ResponseModel):
    """Error in a field of a request."""

    field: str | None
    message: str
    reason: str | None = None
    """Reason of a refused upload, from a closed list."""


class Problem(ResponseModel):
    """Problem (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    """Error code, the same on every interface."""

    request_id: str
    errors: list[ProblemError]
