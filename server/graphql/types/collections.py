"""GraphQL type of a collection: its counts and its subject."""

from datetime import datetime
from typing import Self

import strawberry

from server.graph import related as exploring
from server.graphql.connections import Info


@strawberry.type(description="Collection with its counts.")
class CollectionInfo:
    """Collection with its counts."""

    name: str
    n_papers: int
    n_sections: int
    n_chunks: int
    ingested_at: datetime = strawberry.field(description="Time of the last write of a paper.")
    subject: str | None = strawberry.field(description="Subject of its papers, if set.")

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
        )

    @strawberry.field
    async def n_authors(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_authors

    @strawberry.field
    async def n_references(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_references

    @strawberry.field
    async def n_questions(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_questions

    @strawberry.field
    async def n_entities(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_entities

    @strawberry.field
    async def n_clusters(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_clusters
