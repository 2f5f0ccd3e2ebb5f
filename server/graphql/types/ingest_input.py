"""GraphQL input of how documents are made into chunks."""

import strawberry

from ingest.chunkers import ChunkOptions


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
