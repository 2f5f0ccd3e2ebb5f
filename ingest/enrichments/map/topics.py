"""The topic that a paper is shown under: the one that most of its chunks belong to, level by level."""

from collections import Counter
from collections.abc import Mapping

import cypher
from papergraph.batches import DEADLINE_S, pages
from papergraph.database import Database

MOST_LEVELS = 20


async def topics_of_papers(database: Database, collection: str) -> dict[str, str]:
    """Return by id of a paper the id of its topic; papers whose chunks are in none are left out.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("graph/map_topics"), collection=collection, deadline_s=DEADLINE_S)
    if not records:
        return {}
    above = {record["id"]: record["above"] for record in records}
    found = {}
    async for page in pages(database, cypher.load("enrichments/topics_of_papers"), limit=500, collection=collection):
        for record in page:
            counts = {one["id"]: one["n"] for one in record["topics"]}
            if topic := main_topic(counts, above):
                found[record["id"]] = topic
    return found


def main_topic(counts: Mapping[str, int], above: Mapping[str, str | None]) -> str | None:
    """Return the topic of a paper: from the coarsest down, the one with most chunks within that of before.

    Args:
        counts: Chunks of the paper by topic, each chunk at its finest topic alone.
        above: The topic above each topic; None for the coarsest. Topics that are not among them do not count.
    """
    total: Counter[str] = Counter()
    below: dict[str | None, set[str]] = {}
    for topic, n in counts.items():
        at: str | None = topic
        for _ in range(MOST_LEVELS):
            if at is None or at not in above:
                break
            total[at] += n
            below.setdefault(above[at], set()).add(at)
            at = above[at]
    chosen: str | None = None
    while candidates := below.get(chosen):
        chosen = min(candidates, key=lambda one: (-total[one], one))
    return chosen
