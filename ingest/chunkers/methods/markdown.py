"""The text below a heading."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "markdown",
    Unit.BLOCK,
    "LlamaIndex' MarkdownNodeParser: what stands below a heading, cut only where it is longer",
    max_tokens=512,
    overlap_tokens=0,
    version="3",
    order=2,
)
