"""GraphQL type of a collection, and the fields that list, create, describe and delete collections."""

from datetime import datetime
from typing import Annotated, Self

import strawberry

from server.auth.access import access
from server.auth.principal import KeyScope
from server.graph import related as exploring
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.operations import collections as operations

READ = access(KeyScope.READ, queued=True)
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
