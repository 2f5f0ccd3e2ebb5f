"""Pages of lists: a cursor leads from each to the next, in the answer and in its ``Link``."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fastapi import Request, Response

from papergraph.schema.records import Node, Paper
from papergraph.server.graph import nodes as reading
from papergraph.server.graph.lists import Entry
from papergraph.server.operations import pagination as cursors
from papergraph.server.operations.context import RequestContext
from papergraph.server.rest import models
from papergraph.server.rest.requests import Page, PageOf

T = TypeVar("T")
R = TypeVar("R")
Place = tuple[Any, ...]
Wrap = Callable[[RequestContext, Sequence[R]], Awaitable[list[T]]]
"""Makes what is answered of some records."""


async def plain(context: RequestContext, found: Sequence[R]) -> list[R]:
    """Return records as they are."""
    return list(found)


@dataclass(frozen=True)
class Source(Generic[R]):
    """A list that can be read page by page.

    Attributes:
        name: What its cursors call it, the same on every face.
        place: Types of the values that say where an entry stands.
        read: Gives at most so many entries after a place.
        count: Gives its length.
    """

    name: str
    place: Sequence[type | tuple[type, ...]]
    read: Callable[[Place, int], Awaitable[list[Entry[R]]]]
    count: Callable[[], Awaitable[int]]


async def page_of(
    context: RequestContext, source: Source[R], wanted: PageOf, wrap: Wrap[R, T], *, link: Callable[[str], None]
) -> Page[T]:
    """Return a page of a list; ``link`` receives the cursor of the next page, if any."""
    place = cursors.place_after(wanted.after, source.name, source.place)
    found = await source.read(place, wanted.first + 1)
    shown = found[: wanted.first]
    data = await wrap(context, [entry.record for entry in shown])
    following = cursors.encode(source.name, *shown[-1].place) if len(found) > wanted.first else None
    if following is not None:
        link(following)
    return Page(data=data, next=following, total=await source.count() if wanted.count else None)


def linked(request: Request, response: Response) -> Callable[[str], None]:
    """Return a function that sets an answer's ``Link`` to the next page, relative to the request.

    Below a proxy's prefix, the server does not know the whole path.
    """

    def link(cursor: str) -> None:
        url = request.url.include_query_params(after=cursor)
        response.headers["Link"] = f'<?{url.query}>; rel="next"'

    return link


async def papers_with_authors(context: RequestContext, records: Sequence[Paper]) -> list[models.Paper]:
    """Return papers with their authors; one query for all."""
    if not records:
        return []
    ids = list(dict.fromkeys(record.id for record in records))
    found = await reading.authors_of(context.database, ids, collections=context.collections)
    authors = dict(zip(ids, found, strict=True))
    return [models.Paper(**vars(record), authors=tuple(authors[record.id])) for record in records]


async def labelled_nodes(context: RequestContext, records: Sequence[Node]) -> list[models.Node]:
    """Return nodes of any kind, each with what it is."""
    papers = await papers_with_authors(context, [record for record in records if isinstance(record, Paper)])
    by_id = {paper.id: paper for paper in papers}
    return [
        models.Node(
            label=type(record).__name__,
            node=by_id.get(record.id) or record,
        )
        for record in records
    ]
