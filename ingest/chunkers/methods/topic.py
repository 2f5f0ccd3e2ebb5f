"""Short passages by topic and section."""

from papergraph.ingest.chunkers.options import Method, Unit

CHUNKER = Method(
    "topic",
    Unit.SENTENCE,
    "the eight retrieval methods: by topic and section",
    max_chars=500,
    overlap_chars=120,
    version="3",
    order=4,
)
