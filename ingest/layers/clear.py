"""Remove what layers made of papers, when these change or go."""

from collections.abc import Sequence

import cypher
from ingest.layers.names import LayerName
from papergraph.database import Transaction

CLEARED: tuple[LayerName, ...] = ()
"""Layers that leave something of a paper in the graph; prototypes hang on the nodes of others alone."""


async def clear_papers(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove all that layers made of papers, before these change or go; the papers bear no layer then."""
    for name in CLEARED:
        await transaction.run(cypher.load(f"layers/clear_{name}"), ids=list(ids))
    await transaction.run(cypher.load("layers/mark"), rows=[{"id": id, "layers": []} for id in ids])
