"""Costs of requests, equal on all interfaces; a unit is about the work of reading one field."""

from collections.abc import Sequence
from math import prod
from typing import Any

from papergraph.errors import Code, PapergraphError

SEARCH = 2000
ANSWER = 4000
"""A search, with looking through what it found; what a language model takes is counted in tokens."""

MORE = 500
"""Each further collection of a search or an answer."""

CYPHER = 2000
"""A query of a researcher's, whatever it returns."""

PATH = 1000
RELATED = 100
LIBRARY = 200
"""Cost of the query library's texts, about 60 kB, counted once per operation."""

FACETS = 200
"""Counting what the papers of a collection have."""

COUNT = 10
"""Counting a whole list."""

LIST_LENGTH = 5
"""Assumed length of lists without pages: the authors of a paper, the retrievers of a hit."""

EXPORT = 20
"""Writing a paper into an export."""

COPY = 100
"""Copying a paper to another collection."""

ESTIMATE = 1000
"""Looking through papers for what enrichments would take."""

MAP = 1000
"""Reading the places of all papers of a collection."""

PAGE_IMAGE = 100
"""Drawing a page of a PDF."""

UPLOAD = 10
"""Taking a file, or looking through those that wait."""

LEAST = 1


def for_several(price: int, collections: Sequence[Any] | None, *ways: Sequence[Any] | None) -> int:
    """Return the price of a search or an answer that names several collections, and several ways to answer."""
    return prod(len(one) for one in ways if one) * (price + MORE * max(0, len(collections or ()) - 1))


def too_complex(cost: int, limit: int) -> PapergraphError:
    """Return the error of a request that costs more than one may."""
    told = f"The query costs {cost}; the limit is {limit}. Request shorter pages or fewer fields."
    return PapergraphError(told, code=Code.QUERY_TOO_COMPLEX)
