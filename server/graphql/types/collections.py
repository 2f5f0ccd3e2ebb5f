"""GraphQL types of collections, what they hold, and their maps."""

from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry import Parent

from papergraph.records import RecordField, record_fields
from papergraph.schema import records
from papergraph.server.auth.operations import CHANGE, DELETE_COLLECTION, MAP, READ
from papergraph.server.graph import paper_map as mapping
from papergraph.server.graph import related as exploring
from papergraph.server.graph.paper_map import MapMethod
from papergraph.server.graph.related import (
    AFFILIATIONS_OF_AUTHORS,
    AFFILIATIONS_OF_PAPERS,
    PAPERS_OF_AFFILIATIONS,
    PAPERS_OF_VENUES,
    VENUES_OF_PAPERS,
    affiliations_in,
    venues_in,
)
from papergraph.server.graphql.connections import After, Connection, First, Info, listed, listed_in
from papergraph.server.graphql.context import PageKey
from papergraph.server.graphql.derive import field, mutation, object_type, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.operations import collections as operations

# GraphQL types of venues and affiliations


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


def _counted(count: RecordField) -> Any:
    async def resolve(root: Parent[exploring.Collection], info: Info) -> int:
        found: int = getattr(await info.context.meaning_counts.load(root.name), count.name)
        return found

    return field(count.description)(resolve)


@object_type(exploring.Collection, "CollectionInfo")
class CollectionInfo:
    """A collection."""

    n_authors, n_references, n_questions, n_entities, n_clusters = map(_counted, record_fields(exploring.MeaningCounts))

    @field("Warnings that searches may miss papers, one for each unsupported language.")
    async def language_warnings(root: Parent[exploring.Collection], info: Info) -> list[str]:
        return await info.context.language_warnings.load(root.name)


CollectionResult = Annotated[
    exploring.Collection | InvalidInput | NotFound | Conflict,
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
    """Queries of collections."""

    @field("Collections, by name.", READ)
    async def collections(self, info: Info) -> list[exploring.Collection] | None:
        database, collections = info.context.database, info.context.collections
        return await exploring.list_collections(database, collections=collections)


@type_()
class CollectionMutations:
    """Mutations of collections."""

    @mutation("Create an empty collection.", CHANGE)
    async def create_collection(
        self, info: Info, name: Name, title: Title = None, description: Description = None
    ) -> CollectionResult:
        context = info.context
        return await outcome(
            operations.create_collection(context.database, name, title, description, collections=context.collections)
        )

    @mutation("Change the title or the description of a collection; what is null stays as it is.", CHANGE)
    async def describe_collection(
        self, info: Info, name: Name, title: Title = None, description: Description = None
    ) -> CollectionResult:
        context = info.context
        return await outcome(
            operations.describe_collection(context.database, name, title, description, collections=context.collections)
        )

    @mutation(
        "Delete a collection with all its data, and cancel its jobs. Repeat it until nLeft is 0.", DELETE_COLLECTION
    )
    async def delete_collection(self, info: Info, name: Name) -> DeleteCollectionResult:
        context = info.context
        return await outcome(
            operations.delete_collection(
                context.database, name, collections=context.collections, originals=context.service.originals
            )
        )


# GraphQL types of the map of a collection


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
