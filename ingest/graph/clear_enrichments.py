"""Remove what enrichments made of papers, when these change or go."""

from collections.abc import Sequence

import cypher
from papergraph.neo4j_errors import Transaction


async def clear_papers(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove all that enrichments made of papers, before these change or go; the papers bear no enrichment then.

    Each enrichment has a query ``enrichments/clear_NAME``, unless all of it goes with the nodes of the paper.

    Prototypes hang on the nodes of other enrichments alone, and go with these.
    """
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    for statement in map(cypher.load, cypher.names("enrichments/clear_*")):
        await transaction.run(statement, ids=list(ids))
    await transaction.run(cypher.load("enrichments/mark"), rows=[{"id": id, "enrichments": []} for id in ids])


async def clear_links(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove the links of papers whose titles change, which follow from these; other enrichments stay."""
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_links"), ids=list(ids))
