"""Whole sentences."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "sentence",
    Unit.SENTENCE,
    "LlamaIndex' SentenceSplitter, as in SV of the thesis",
    max_tokens=512,
    overlap_tokens=20,
    across_headings=True,
    version="3",
    order=1,
)
