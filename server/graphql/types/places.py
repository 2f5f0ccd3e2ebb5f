"""GraphQL types of venues and affiliations."""

from typing import TYPE_CHECKING, Annotated, Self

import strawberry

from schema import records
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graph.places import (
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

if TYPE_CHECKING:
    from server.graphql.types.nodes import Paper

READ = access(KeyScope.READ, queued=True)
Collection = Annotated[
    str | None, strawberry.argument(description="Collection to read; default: main, or the first that the key reaches.")
]


@strawberry.type
class Place:
    """Properties that venues and affiliations share."""

    id: strawberry.ID = strawberry.field(description="sha-256 hex of collection and key.")
    collection: str = strawberry.field(description="Collection of the papers.")
    name: str = strawberry.field(description="Most frequent spelling.")
    key: str = strawberry.field(description="Identity of the place.")
    aliases: list[str] = strawberry.field(description="Other spellings, by alphabet.")

    @classmethod
    def of(cls, record: records.Place) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            name=record.name,
            key=record.key,
            aliases=list(record.aliases),
        )


@strawberry.type(description="Journal, conference or book series in which papers of a collection appeared.")
class Venue(Place):
    """A venue."""

    key: str = strawberry.field(description="issn:… or openalex:… where stated; otherwise letters of the name.")

    @strawberry.field(description="Papers of the venue, by title.")
    async def papers(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".nodes")]]:
        from server.graphql.types.nodes import Paper

        return await listed(info, PAPERS_OF_VENUES, self.id, first=first, after=after, wrap=Paper.of)


@strawberry.type(description="Institution where authors of papers of a collection work.")
class Affiliation(Place):
    """An affiliation."""

    key: str = strawberry.field(description="ror:… or openalex:… where stated; otherwise letters of the name.")

    @strawberry.field(description="Papers with this affiliation, by title.")
    async def papers(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".nodes")]]:
        from server.graphql.types.nodes import Paper

        return await listed(info, PAPERS_OF_AFFILIATIONS, self.id, first=first, after=after, wrap=Paper.of)


@strawberry.type
class PaperPlaces:
    """Fields of a paper."""

    if TYPE_CHECKING:
        id: strawberry.ID

    @strawberry.field(description="Venue of the paper, if a source names one.")
    async def venue(self, info: Info) -> Venue | None:
        entries = await info.context.pages_of(VENUES_OF_PAPERS).load(PageKey(self.id, (), 1))
        return Venue.of(entries[0].record) if entries else None

    @strawberry.field(description="Affiliations of the authors, in the order of the paper.")
    async def affiliations(self, info: Info, first: First = 20, after: After = None) -> Connection[Affiliation]:
        return await listed(info, AFFILIATIONS_OF_PAPERS, self.id, first=first, after=after, wrap=Affiliation.of)


@strawberry.type
class AuthorPlaces:
    """Fields of an author."""

    if TYPE_CHECKING:
        id: strawberry.ID

    @strawberry.field(description="Affiliations of the author's papers, those of most papers first.")
    async def affiliations(self, info: Info, first: First = 20, after: After = None) -> Connection[Affiliation]:
        return await listed(info, AFFILIATIONS_OF_AUTHORS, self.id, first=first, after=after, wrap=Affiliation.of)


@strawberry.type
class PlaceQueries:
    """Root fields."""

    @strawberry.field(metadata=READ.metadata, description="Venues of a collection, by name.")
    async def venues(
        self,
        info: Info,
        collection: Collection = None,
        text: Annotated[str, strawberry.argument(description="Text in a spelling, ignoring case.")] = "",
        first: First = 20,
        after: After = None,
    ) -> Connection[Venue] | None:
        looked_in, reached = info.context.collection(collection), info.context.collections
        return await listed_in(info, venues_in(looked_in, text=text, collections=reached), first, after, Venue.of)

    @strawberry.field(metadata=READ.metadata, description="Affiliations of a collection, by name.")
    async def affiliations(
        self,
        info: Info,
        collection: Collection = None,
        text: Annotated[str, strawberry.argument(description="Text in a spelling, ignoring case.")] = "",
        first: First = 20,
        after: After = None,
    ) -> Connection[Affiliation] | None:
        looked_in, reached = info.context.collection(collection), info.context.collections
        return await listed_in(
            info, affiliations_in(looked_in, text=text, collections=reached), first, after, Affiliation.of
        )
