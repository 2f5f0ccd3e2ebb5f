"""Costs of REST: those of the GraphQL query that reads as much.

A field costs 1, and a list what an entry costs, as often as its page is long; the prices that go beyond are those of
:mod:`server.auth.costs`. GraphQL reckons from the text of a query, REST from the model that it answers with.
"""

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from papergraph.records import Record, record_fields
from server.auth import costs as prices
from server.graph.nodes import MAX_PAGE


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
