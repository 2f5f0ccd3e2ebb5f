"""Costs of REST: those of the GraphQL query that reads as much.

A field costs 1, and a list what an entry costs, as often as its page is long; the prices that go beyond are those of
:mod:`server.auth.costs`. GraphQL reckons from the text of a query, REST from the model that it answers with.
"""

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from server.auth import costs as prices
from server.graph.nodes import MAX_PAGE
from server.rest.responses import LEAF_MODELS


@cache
def price_of(model: type[BaseModel]) -> int:
    """Return what one entry that has this form costs."""
    return sum(_price(field.annotation) for field in model.model_fields.values())


def page_price(model: type[BaseModel], n: int, *, counted: bool = False) -> int:
    """Return what a page of ``n`` entries costs, with its cursor, and its length where it is ``counted``."""
    return 3 + within_a_page(n) * price_of(model) + (prices.COUNT if counted else 0)


def page_cost(model: type[BaseModel]) -> Callable[..., int]:
    """Return what prices a page of a list by the parameters ``wanted`` of its route."""
    return lambda wanted: page_price(model, wanted.first, counted=wanted.count)


def within_a_page(n: int) -> int:
    """Return how many entries are charged for: what is out of bounds is refused elsewhere."""
    return min(max(n, 1), MAX_PAGE)


def _price(annotation: Any) -> int:
    if get_origin(annotation) is list:
        (entry,) = get_args(annotation)
        inner = _price(entry)
        return 1 if inner == 1 else 1 + prices.LIST_LENGTH * (inner - 1)
    if isinstance(annotation, UnionType):
        return max(map(_price, get_args(annotation)))
    model = LEAF_MODELS.get(annotation, annotation)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return 1 + price_of(model)
    return 1
