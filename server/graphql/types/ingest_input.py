"""GraphQL arguments of an ingestion, and the estimate of what it would take."""

from typing import Annotated

import strawberry

from ingest.chunkers import ChunkOptions
from ingest.pipeline.estimate import IngestionEstimate
from server.auth import costs as prices
from server.auth.access import KeyScope, access
from server.graphql.connections import Info
from server.graphql.derive import field, type_
from server.graphql.types.collections import Collection
from server.operations.ingest import IngestRequest

ESTIMATE = access(KeyScope.INGEST, cost=prices.ESTIMATE, queued=True)
Sources = Annotated[list[str], strawberry.argument(description="URLs and arxiv:ID; together with uploads, 1 to 100.")]
Uploads = Annotated[
    list[strawberry.ID], strawberry.argument(description="Ids of your uploads (REST: POST /v1/uploads).")
]
Parser = Annotated[
    str | None, strawberry.argument(description="Parser of PDF files: builtin, or the service of the server.")
]


@strawberry.input(description="How documents are cut into chunks; null values are those of the chunker.")
class ChunkingInput:
    """Options of chunks."""

    chunker: str = strawberry.field(default="default", description="Name of the chunker; see docs/ingestion.md.")
    max_tokens: int | None = strawberry.field(default=None, description="Maximum tokens of a chunk.")
    max_chars: int | None = strawberry.field(default=None, description="Maximum characters of a chunk.")
    overlap: int | None = strawberry.field(
        default=None, description="What two chunks share, in the unit that the chunker counts in."
    )
    drop_back_matter: bool = strawberry.field(default=False, description="Skip references and appendices.")
    mask_urls: bool = strawberry.field(default=False, description="Embed [URL] in place of URLs.")
    trim_stops: bool = strawberry.field(default=True, description="Remove full stops at the start of chunks.")
    embed_parents: bool = strawberry.field(default=False, description="Embed the parents of a hierarchy too.")
    across_headings: bool | None = strawberry.field(default=None, description="Let chunks run on over headings.")

    def options(self) -> ChunkOptions:
        """Return the options.

        Raises:
            ChunkOptionsError: There is no such chunker, or it cannot cut so.
        """
        return ChunkOptions.choose(**vars(self))


Chunking = Annotated[ChunkingInput | None, strawberry.argument(description="How documents are cut into chunks.")]


@type_()
class IngestionQueries:
    """What can be read before an ingestion."""

    @field("What an ingestion would take. A sample of the documents is parsed; nothing is written.", ESTIMATE)
    async def ingestion_estimate(
        self,
        info: Info,
        sources: Sources = [],  # noqa: B006 nobody changes it
        collection: Collection = None,
        uploads: Uploads = [],  # noqa: B006 nobody changes it
        chunking: Chunking = None,
        parser: Parser = None,
    ) -> IngestionEstimate | None:
        context = info.context
        cut = (chunking or ChunkingInput()).options()
        wanted = IngestRequest(sources, context.collection(collection), uploads, None, cut, parser)
        return await context.intake.estimate(
            context.database,
            context.service.resources.model.searched.embedder,
            wanted,
            collections=context.collections,
            asker=context.principal.id,
        )
