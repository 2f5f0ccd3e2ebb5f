"""Retrievers: each ranks the chunks of a scope for a query, with scores of its own; each file defines one."""

from collections.abc import Mapping
from functools import cache

from papergraph.registry import parts
from papergraph.server.retrieval.retrievers.base import Retriever


@cache
def retrievers() -> Mapping[str, Retriever]:
    """Return all retrievers by name, in the order in which they are listed."""
    return parts("papergraph.server.retrieval.retrievers", "RETRIEVER", Retriever)
