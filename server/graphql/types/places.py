"""GraphQL types of venues and affiliations."""

from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry import Parent

from schema import records
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graph.related import (
    AFFILIATIONS_OF_AUTHORS,
    AFFILIATIONS_OF_PAPERS,
    PAPERS_OF_AFFILIATIONS,
    PAPERS_OF_VENUES,
    VENUES_OF_PAPERS,
    affiliations_in,
    venues_in,
)
from server.graphql.connections import After, Connection, First, Info, listed, listed_in
from server.graphql.context import PageKey
from server.graphql.derive import field, object_type, type_

READ = access(KeyScope.READ, queued=True)
Collection = Annotated[
    str | None, strawberry.argument(description="Collection to read; default: main, or the first that the key reaches.")
]


@object_type(records.Venue)
class Venue:
    """A venue."""

    @field("Papers of the venue, by title.")
    async def papers(
        root: Parent[records.Venue], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, PAPERS_OF_VENUES, root.id, first=first, after=after)


@object_type(records.Affiliation)
class Affiliation:
    """An affiliation."""

    @field("Papers with this affiliation, by title.")
    async def papers(
        root: Parent[records.Affiliation], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, PAPERS_OF_AFFILIATIONS, root.id, first=first, after=after)


@type_()
class PaperPlaces:
    """Fields of a paper."""

    if TYPE_CHECKING:
        id: strawberry.ID

    @field("Venue of the paper, if a source names one.")
    async def venue(self, info: Info) -> records.Venue | None:
        entries = await info.context.pages_of(VENUES_OF_PAPERS).load(PageKey(self.id, (), 1))
        return entries[0].record if entries else None

    @field("Affiliations of the authors, in the order of the paper.")
    async def affiliations(self, info: Info, first: First = 20, after: After = None) -> Connection[records.Affiliation]:
        return await listed(info, AFFILIATIONS_OF_PAPERS, self.id, first=first, after=after)


@type_()
class AuthorPlaces:
    """Fields of an author."""

    if TYPE_CHECKING:
        id: strawberry.ID

    @field("Affiliations of the author's papers, those of most papers first.")
    async def affiliations(self, info: Info, first: First = 20, after: After = None) -> Connection[records.Affiliation]:
        return await listed(info, AFFILIATIONS_OF_AUTHORS, self.id, first=first, after=after)


@type_()
class PlaceQueries:
    """Root fields."""

    @field("Venues of a collection, by name.", READ)
    async def venues(
        self,
        info: Info,
        collection: Collection = None,
        text: Annotated[str, strawberry.argument(description="Text in a spelling, ignoring case.")] = "",
        first: First = 20,
        after: After = None,
    ) -> Connection[records.Venue] | None:
        looked_in, reached = info.context.collection(collection), info.context.collections
        return await listed_in(info, venues_in(looked_in, text=text, collections=reached), first, after)

    @field("Affiliations of a collection, by name.", READ)
    async def affiliations(
        self,
        info: Info,
        collection: Collection = None,
        text: Annotated[str, strawberry.argument(description="Text in a spelling, ignoring case.")] = "",
        first: First = 20,
        after: After = None,
    ) -> Connection[records.Affiliation] | None:
        looked_in, reached = info.context.collection(collection), info.context.collections
        return await listed_in(info, affiliations_in(looked_in, text=text, collections=reached), first, after)
