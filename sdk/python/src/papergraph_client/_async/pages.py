"""Lists that are read page by page."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Generic, TypeVar

from papergraph_client._async.transport import AsyncTransport
from papergraph_client._http import Call
from papergraph_client._model import Page, decode

T = TypeVar("T")


class AsyncPages(Generic[T]):
    """A list: iterate over its entries, or read its pages; a page is read when it is needed."""

    def __init__(self, transport: AsyncTransport, call: Call, model: type[T], *, first: int = 100) -> None:
        """Describe the list; nothing is sent."""
        self._transport, self._call, self._model, self._first = transport, call, model, first

    async def page(self, after: str | None = None, *, count: bool = False) -> Page[T]:
        """Return one page.

        Args:
            after: ``next`` of the previous page.
            count: Read the length of the whole list too.
        """
        query = {**self._call.query, "first": self._first, "after": after, "count": True if count else None}
        read = (await self._transport.send(replace(self._call, query=query))).json()
        data: list[Any] = read["data"]
        return Page(tuple(decode(self._model, one) for one in data), read.get("next"), read.get("total"))

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Yield the pages in order."""
        after = None
        while True:
            page = await self.page(after)
            yield page
            after = page.next
            if after is None:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for one in page.data:
                yield one

    async def count(self) -> int:
        """Return the length of the whole list."""
        call = replace(self._call, query={**self._call.query, "first": 1, "count": True})
        return int((await self._transport.send(call)).json()["total"])

    async def all(self) -> list[T]:
        """Return all entries."""
        return [one async for one in self]
