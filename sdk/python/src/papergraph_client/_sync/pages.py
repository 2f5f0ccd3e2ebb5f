# Written by python -m scripts.sdk from _async/pages.py.
"""Lists that are read page by page."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Generic, TypeVar

from papergraph_client._http import Call
from papergraph_client._model import Page, decode
from papergraph_client._sync.transport import Transport

T = TypeVar("T")


class Pages(Generic[T]):
    """A list: iterate over its entries, or read its pages; a page is read when it is needed."""

    def __init__(self, transport: Transport, call: Call, model: type[T], *, first: int = 100) -> None:
        """Describe the list; nothing is sent."""
        self._transport, self._call, self._model, self._first = transport, call, model, first

    def page(self, after: str | None = None, *, count: bool = False) -> Page[T]:
        """Return one page.

        Args:
            after: ``next`` of the previous page.
            count: Read the length of the whole list too.
        """
        query = {**self._call.query, "first": self._first, "after": after, "count": True if count else None}
        read = (self._transport.send(replace(self._call, query=query))).json()
        data: list[Any] = read["data"]
        return Page(tuple(decode(self._model, one) for one in data), read.get("next"), read.get("total"))

    def pages(self) -> Iterator[Page[T]]:
        """Yield the pages in order."""
        after = None
        while True:
            page = self.page(after)
            yield page
            after = page.next
            if after is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            for one in page.data:
                yield one

    def count(self) -> int:
        """Return the length of the whole list."""
        call = replace(self._call, query={**self._call.query, "first": 1, "count": True})
        return int((self._transport.send(call)).json()["total"])

    def all(self) -> list[T]:
        """Return all entries."""
        return [one for one in self]
