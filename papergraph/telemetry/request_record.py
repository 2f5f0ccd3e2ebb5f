"""The request that the present task works for, and what it came to: any layer may note there, and the log tells it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Request:
    """What a request came to until now.

    Attributes:
        id: Stands in the log, in errors and in the answer.
        n_queries: Statements and transactions that were sent to Neo4j for it.
        cost: What it was charged, where it has a price.
        key_id: The part of its key that is no secret, where keys are asked for.
    """

    id: str
    n_queries: int = 0
    cost: int | None = None
    key_id: str | None = None

    def charge(self, cost: int) -> None:
        """Note what it was charged."""
        self.cost = cost + (self.cost or 0)


_current: ContextVar[Request | None] = ContextVar("request", default=None)


def current() -> Request | None:
    """Return the request that this task, or one that started it, works for."""
    return _current.get()


@contextmanager
def began(id: str) -> Iterator[Request]:
    """Work for a request from here on."""
    request = Request(id)
    token = _current.set(request)
    try:
        yield request
    finally:
        _current.reset(token)
