"""GraphQL types of collections, what they hold, and their maps."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Self

import strawberry
from strawberry import Parent

from schema import records
from server.auth import costs as prices
from server.auth.access import KeyScope, access
from server.graph import paper_map as mapping
from server.graph import related as exploring
from server.graph.paper_map import MapMethod
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
from server.graphql.derive import field, mutation, object_type, type_
from server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from server.operations import collections as operations

# GraphQL types of venues and affiliations


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


# GraphQL type of a collection, and the fields that list, create, describe and delete collections


INGEST = access(KeyScope.INGEST, queued=True)


@type_(description="Collection with its counts.")
class CollectionInfo:
    """Collection with its counts."""

    name: str = strawberry.field(description="Name of the collection.")
    n_papers: int = strawberry.field(description="Number of papers.")
    n_sections: int = strawberry.field(description="Number of sections.")
    n_chunks: int = strawberry.field(description="Number of chunks.")
    ingested_at: datetime = strawberry.field(
        description="Time of the last write of a paper; of an empty collection, its creation."
    )
    subject: str | None = strawberry.field(description="Subject of its papers, if set.")
    title: str = strawberry.field(description="Title for people; by default the name.")
    description: str | None = strawberry.field(description="Use of the collection, if described.")

    @classmethod
    def of(cls, record: exploring.Collection) -> Self:
        """Wrap a record."""
        return cls(
            name=record.name,
            n_papers=record.n_papers,
            n_sections=record.n_sections,
            n_chunks=record.n_chunks,
            ingested_at=record.ingested_at,
            subject=record.subject,
            title=record.title or record.name,
            description=record.description,
        )

    @field("Number of authors.")
    async def n_authors(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_authors

    @field("Number of references.")
    async def n_references(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_references

    @field("Number of questions.")
    async def n_questions(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_questions

    @field("Number of entities.")
    async def n_entities(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_entities

    @field("Number of clusters.")
    async def n_clusters(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_clusters

    @field("Why searches may miss papers, one text for each language that is not supported.")
    async def language_warnings(self, info: Info) -> list[str]:
        return await info.context.language_warnings.load(self.name)


CollectionResult = Annotated[
    CollectionInfo | InvalidInput | NotFound | Conflict,
    strawberry.union("CollectionResult", description="The collection, or the reason why nothing was changed."),
]
DeleteCollectionResult = Annotated[
    operations.DeletedCollection | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteCollectionResult", description="The deleted collection, or the reason why there is none."),
]
Name = Annotated[str, strawberry.argument(description="Name of the collection; it never changes.")]
Title = Annotated[
    str | None, strawberry.argument(description="Title for people, up to 200 characters; empty for the name.")
]
Description = Annotated[
    str | None, strawberry.argument(description="Use of the collection, up to 2000 characters; empty for none.")
]


@type_()
class CollectionQueries:
    """What can be read of collections."""

    @field("Collections, by name.", READ)
    async def collections(self, info: Info) -> list[CollectionInfo] | None:
        database, collections = info.context.database, info.context.collections
        return [CollectionInfo.of(one) for one in await exploring.list_collections(database, collections=collections)]


@type_()
class CollectionMutations:
    """What can be done with collections."""

    @mutation("Create an empty collection.", INGEST)
    async def create_collection(
        self, info: Info, name: Name, title: Title = None, description: Description = None
    ) -> CollectionResult:
        async def work() -> CollectionInfo:
            context = info.context
            return CollectionInfo.of(
                await operations.create_collection(
                    context.database, name, title, description, collections=context.collections
                )
            )

        return await outcome(work())

    @mutation("Change the title or the description of a collection; what is null stays as it is.", INGEST)
    async def describe_collection(
        self, info: Info, name: Name, title: Title = None, description: Description = None
    ) -> CollectionResult:
        async def work() -> CollectionInfo:
            context = info.context
            return CollectionInfo.of(
                await operations.describe_collection(
                    context.database, name, title, description, collections=context.collections
                )
            )

        return await outcome(work())

    @mutation("Delete a collection with all its data, and cancel its jobs. Repeat it until nLeft is 0.", INGEST)
    async def delete_collection(self, info: Info, name: Name) -> DeleteCollectionResult:
        context = info.context
        return await outcome(
            operations.delete_collection(
                context.database, name, collections=context.collections, originals=context.service.originals
            )
        )


# GraphQL types of the map of a collection


MAP = access(KeyScope.READ, cost=prices.MAP, queued=True)
strawberry.enum(MapMethod, description="Method that gave the places of a map.")


@type_()
class MapQueries:
    """Root fields."""

    @field("Map of a collection: places of its papers in two dimensions, and topics.", MAP)
    async def map(
        self,
        info: Info,
        collection: Collection = None,
        first: Annotated[
            int, strawberry.argument(description="Papers at most, 1 to 50,000; a random sample if there are more.")
        ] = 5000,
    ) -> mapping.PaperMap | None:
        context = info.context
        return await mapping.paper_map(
            context.database,
            collection=context.collection(collection),
            first=first,
            collections=context.collections,
        )
