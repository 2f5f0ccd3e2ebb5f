"""Cut documents into chunks."""

from ingest.chunk.chunker import VERSION, Chunker, ChunkOptions, ChunkSpan, context_of

__all__ = ["VERSION", "ChunkOptions", "ChunkSpan", "Chunker", "context_of"]
