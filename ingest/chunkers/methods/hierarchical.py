"""Sentences below parents of two sizes."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "hierarchical",
    Unit.SENTENCE,
    "LlamaIndex' HierarchicalNodeParser, as in AM and KV of the thesis",
    max_tokens=128,
    overlap_tokens=20,
    hierarchical=True,
    across_headings=True,
    version="3",
    order=3,
)
