"""Cut documents into chunks."""

from ingest.chunk.chunker import VERSION, Chunker, ChunkSpan, context_of, embedded_text, is_left_out
from ingest.chunk.options import CHUNKERS, MASK_URLS, METHODS, ChunkOptions

__all__ = [
    "CHUNKERS",
    "MASK_URLS",
    "METHODS",
    "VERSION",
    "ChunkOptions",
    "ChunkSpan",
    "Chunker",
    "context_of",
    "embedded_text",
    "is_left_out",
]
