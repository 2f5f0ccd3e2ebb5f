"""Enrichments: what the graph knows beyond the papers' text, made of stored papers; each is optional.

``base``, ``enrichment``    the protocol of a kind, and of an enrichment with its options
``options``                 the choice of a user: which are made, and how
``run``, ``worker``         a job of the ledger: paper by paper, then what spans a collection
``metadata``, ``questions``, ``entities``   enrichments made of each paper by itself
``prototypes``, ``clusters``, ``links``     enrichments over a whole collection

Each folder, or file, of an enrichment defines ``ENRICHMENT``.
"""

from collections.abc import Mapping
from functools import cache

from papergraph.ingest.enrichments.base import EnrichmentKind
from papergraph.registry import parts


@cache
def enrichments() -> Mapping[str, EnrichmentKind]:
    """Return all kinds of enrichments by name, in the order in which they are made."""
    return parts("papergraph.ingest.enrichments", "ENRICHMENT", EnrichmentKind)
