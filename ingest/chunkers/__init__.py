"""Cut documents into chunks."""

from papergraph.ingest.chunkers.chunker import Chunker, ChunkSpan, context_of, embedded_text, is_left_out
from papergraph.ingest.chunkers.options import MASK_URLS, ChunkOptions, Method, Unit, chunkers

__all__ = [
    "MASK_URLS",
    "ChunkOptions",
    "ChunkSpan",
    "Chunker",
    "Method",
    "Unit",
    "chunkers",
    "context_of",
    "embedded_text",
    "is_left_out",
]
