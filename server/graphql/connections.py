"""Nodes and pages of a list, as Relay has them: connections, edges and cursors."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

import strawberry
from strawberry.types import Info as StrawberryInfo

from server import pagination as cursors
from server.graph.lists import (
    Listing,
)
from server.graph.nodes import check_first
from server.graphql.context import Context, PageKey
from server.pagination import place_after

if TYPE_CHECKING:
    pass


Info = StrawberryInfo[Context, None]
T = TypeVar("T")
R = TypeVar("R")
First = Annotated[int, strawberry.argument(description="Entries per page, 1 to 100.")]
After = Annotated[str | None, strawberry.argument(description="endCursor of the previous page.")]


@strawberry.interface(description="An object with an id: sha-256 hex, the same as in the graph.")
class Node:
    """A node of the graph."""

    id: strawberry.ID


@strawberry.type(description="Position of a page in its list.")
class PageInfo:
    """Position of a page in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type
class Edge(Generic[T]):
    """An entry of a page with its position."""

    cursor: str
    node: T


@strawberry.type
class Connection(Generic[T]):
    """A page of a list, in a stable order; pass endCursor as ``after`` for the next one."""

    edges: list[Edge[T]]
    page_info: PageInfo
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The entries without their cursors.")
    def nodes(self) -> list[T]:
        return [edge.node for edge in self.edges]

    @strawberry.field(description="Length of the whole list.")
    async def total_count(self) -> int:
        return await self.count()


def page(
    found: Sequence[R],
    *,
    first: int,
    after: str | None,
    wrap: Callable[[R], T],
    cursor: Callable[[R], str],
    count: Callable[[], Awaitable[int]],
) -> Connection[T]:
    """Make a page of up to ``first`` of the records found; one more than ``first`` means that there is a next page."""
    edges = [Edge(cursor=cursor(record), node=wrap(record)) for record in found[:first]]
    info = PageInfo(
        has_next_page=len(found) > first,
        has_previous_page=after is not None,
        start_cursor=edges[0].cursor if edges else None,
        end_cursor=edges[-1].cursor if edges else None,
    )
    return Connection(edges=edges, page_info=info, count=count)


async def listed(
    info: Info, listing: Listing[R], parent_id: str, *, first: int, after: str | None, wrap: Callable[[R], T]
) -> Connection[T]:
    """Return a page of a list that a node has."""
    name = f"{listing.name} {parent_id}"
    key = PageKey(parent_id, place_after(after, name, listing.place), check_first(first) + 1)
    return page(
        await info.context.pages_of(listing).load(key),
        first=first,
        after=after,
        wrap=lambda entry: wrap(entry.record),
        cursor=lambda entry: cursors.encode(name, *entry.place),
        count=lambda: info.context.counts_of(listing).load(parent_id),
    )
