"""Long passages of sentences."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "quim",
    Unit.SENTENCE,
    "QuIM-RAG",
    max_tokens=1000,
    overlap_chars=200,
    overlap_unit=Unit.WORD,
    across_headings=True,
    version="3",
    order=5,
)
