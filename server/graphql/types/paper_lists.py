"""Lists of papers over GraphQL: by filter, words and order, with the counts of their values."""

import functools
from typing import Annotated

import strawberry

from schema.records import Paper
from server.graph.nodes import check_first
from server.graphql.connections import Connection, Info, edges_of, page
from server.graphql.types.search_input import FilterInput
from server.operations import pagination as cursors
from server.papers.find import PaperQuery, PaperSort, count_found, find_papers
from server.retrieval.filters import parse_filter

PaperFilter = Annotated[
    FilterInput | None, strawberry.argument(description="Filter on papers; of passages, papers that have one.")
]
PaperText = Annotated[
    str, strawberry.argument(description="Words in the title, the abstract or an author's name, ignoring case.")
]


def paper_query(
    collection: str, filter: FilterInput | None, text: str, sort: PaperSort = PaperSort.TITLE
) -> PaperQuery:
    """Return which papers are asked for.

    Raises:
        InputError: The filter is not acceptable.
    """
    return PaperQuery(collection, parse_filter(filter.data()) if filter else None, text, sort)


async def read_papers(info: Info, query: PaperQuery, first: int, after: str | None) -> Connection[Paper]:
    """Return a page of papers."""
    database, collections = info.context.database, info.context.collections
    place = cursors.place_after(after, query.name, query.place)
    found = await find_papers(database, query, after=place, limit=check_first(first) + 1, collections=collections)
    for entry in found:
        info.context.remember(entry.record)
    count = functools.partial(count_found, database, query, collections=collections)
    return page(edges_of(query.name, found), first=first, after=after, count=count)
