"""Blocks, sentences and words, as long as the embedding model reads beside a context."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "default",
    Unit.BLOCK,
    "semantic-text-splitter's blocks, sentences and words, short enough for the packaged model beside a context",
    max_tokens=192,
    overlap_tokens=32,
    read_whole=False,
    version="3",
    order=0,
)
