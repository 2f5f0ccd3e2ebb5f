"""Remove what layers made of papers, when these change or go."""

from collections.abc import Sequence

import cypher
from papergraph.neo4j_errors import Transaction


async def clear_papers(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove all that layers made of papers, before these change or go; the papers bear no layer then.

    Prototypes hang on the nodes of other layers alone, and go with these.
    """
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_questions"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_entities"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_metadata"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_clusters"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_links"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/mark"), rows=[{"id": id, "layers": []} for id in ids])


async def clear_links(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove the links of papers whose titles change, which follow from these; other enrichments stay."""
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_links"), ids=list(ids))
