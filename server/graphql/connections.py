"""Nodes and pages of a list, as Relay has them: connections, edges and cursors."""

import functools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Annotated, Generic, TypeVar

import strawberry
from strawberry.types import Info as StrawberryInfo
from strawberry.types.nodes import SelectedField, Selection

from papergraph.errors import NotFoundError
from papergraph.server.graph import lists as listings
from papergraph.server.graph.lists import CollectionListing, Entry, Listing
from papergraph.server.graph.nodes import check_first
from papergraph.server.graphql.context import Context, PageKey
from papergraph.server.operations import pagination as cursors
from papergraph.server.operations.pagination import place_after

Info = StrawberryInfo[Context, None]
T = TypeVar("T")
R = TypeVar("R")
MOST_NAME_CHARS = 200
First = Annotated[int, strawberry.argument(description="Entries per page, 1 to 100.")]
After = Annotated[str | None, strawberry.argument(description="endCursor of the previous page.")]


@strawberry.interface(description="A node of the graph; its id is the same in the graph and on all interfaces.")
class Node:
    """A node of the graph."""

    id: strawberry.ID = strawberry.field(description="sha-256 hex; no other object of any type has it.")

    @strawberry.field(description="Title, name, or the beginning of the text, at most 200 characters.")
    def display_name(self) -> str:
        names = (getattr(self, name, None) for name in ("title", "name", "text"))
        return shortened(next((name for name in names if name), type(self).__name__))


@strawberry.type(description="Position of a page in its list.")
class PageInfo:
    """Position of a page in its list."""

    has_next_page: bool = strawberry.field(description="True if a page follows.")
    has_previous_page: bool = strawberry.field(description="True if this is not the first page.")
    start_cursor: str | None = strawberry.field(description="Cursor of the first entry; null for an empty page.")
    end_cursor: str | None = strawberry.field(description="Cursor of the last entry; null for an empty page.")


@strawberry.type(description="An entry of a list with its position.")
class Edge(Generic[T]):
    """An entry of a page with its position."""

    cursor: str = strawberry.field(description="Position of the entry, for after.")
    node: T = strawberry.field(description="The entry.")


@strawberry.type(description="A page of a list, in a stable order; its endCursor as after gives the next page.")
class Connection(Generic[T]):
    """A page of a list, in a stable order; pass endCursor as ``after`` for the next one."""

    edges: list[Edge[T]] = strawberry.field(description="The entries with their cursors.")
    page_info: PageInfo = strawberry.field(description="Position of the page.")
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The entries without their cursors.")
    def nodes(self) -> list[T]:
        return [edge.node for edge in self.edges]

    @strawberry.field(description="Length of the whole list.")
    async def total_count(self) -> int:
        return await self.count()


def shortened(text: str) -> str:
    """Return the beginning of a text in one line, with an ellipsis if it is cut."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_NAME_CHARS else line[: MOST_NAME_CHARS - 1].rstrip() + "…"


def selected(info: Info, *path: str) -> set[str]:
    """Return the names of the fields that are selected below a field, or below a path of fields under it."""
    fields = list(_fields(info.selected_fields))
    for name in path:
        fields = [field for field in fields if field.name == name]
        fields = list(_fields(fields))
    return {field.name for field in fields}


def _fields(parents: Iterable[Selection]) -> Iterator[SelectedField]:
    for parent in parents:
        for selection in parent.selections:
            if isinstance(selection, SelectedField):
                yield selection
            else:
                yield from _fields([selection])


def page(
    name: str, entries: Sequence[Entry[R]], *, first: int, after: str | None, count: Callable[[], Awaitable[int]]
) -> Connection[R]:
    """Make a page of the first entries found; more of them than ``first`` mean that there is a next page.

    ``name`` is the list's in cursors.
    """
    shown = [Edge(cursor=cursors.encode(name, *entry.place), node=entry.record) for entry in entries[:first]]
    info = PageInfo(
        has_next_page=len(entries) > first,
        has_previous_page=after is not None,
        start_cursor=shown[0].cursor if shown else None,
        end_cursor=shown[-1].cursor if shown else None,
    )
    return Connection(edges=shown, page_info=info, count=count)


async def page_of_parts(
    info: Info,
    name: str,
    load: Callable[[], Awaitable[Sequence[Entry[R]]]],
    *,
    first: int,
    after: str | None,
    count: Callable[[], Awaitable[int]],
) -> Connection[R]:
    """Make a page of a list that a node has; its entries are not read if only their number is asked for."""
    entries = await load() if selected(info) & {"edges", "nodes", "pageInfo"} else ()
    return page(name, entries, first=first, after=after, count=count)


async def listed(info: Info, listing: Listing[R], parent_id: str, *, first: int, after: str | None) -> Connection[R]:
    """Return a page of a list that a node has."""
    name = f"{listing.name} {parent_id}"
    key = PageKey(parent_id, place_after(after, name, listing.place), check_first(first) + 1)
    return await page_of_parts(
        info,
        name,
        lambda: info.context.pages_of(listing).load(key),
        first=first,
        after=after,
        count=lambda: info.context.counts_of(listing).load(parent_id),
    )


async def listed_in(info: Info, listing: CollectionListing[R], first: int, after: str | None) -> Connection[R]:
    """Return a page of a list that a collection has."""
    database = info.context.service.database
    place = cursors.place_after(after, listing.name, listing.place)
    entries = await listings.page_of(database, listing, after=place, limit=check_first(first) + 1)
    count = functools.partial(listings.length_of, database, listing)
    return page(listing.name, entries, first=first, after=after, count=count)


async def found_or_none(reading: Awaitable[R]) -> R | None:
    """Return the result, or None for an unknown id or key; an unknown collection is an error.

    Raises:
        NotFoundError: The collection is missing.
    """
    try:
        return await reading
    except NotFoundError as error:
        if error.what == "collection":
            raise
        return None
