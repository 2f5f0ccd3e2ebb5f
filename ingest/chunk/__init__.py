"""Cut documents into chunks."""

from ingest.chunk.chunker import VERSION, Chunker, ChunkSpan, context_of, embedded_text, is_left_out
from ingest.chunk.options import CHUNKERS, METHODS, ChunkOptions

__all__ = [
    "CHUNKERS",
    "METHODS",
    "VERSION",
    "ChunkOptions",
    "ChunkSpan",
    "Chunker",
    "context_of",
    "embedded_text",
    "is_left_out",
]
