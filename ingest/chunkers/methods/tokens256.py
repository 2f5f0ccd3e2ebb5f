"""Windows of tokens."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "tokens256",
    Unit.WORD,
    "the baseline of Meta Knowledge: windows of tokens",
    max_tokens=256,
    overlap_tokens=25,
    across_headings=True,
    version="3",
    order=6,
)
