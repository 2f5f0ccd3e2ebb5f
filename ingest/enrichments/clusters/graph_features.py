"""Ranks of papers and entities, written where they changed."""

from collections.abc import Sequence

import numpy as np

import cypher
from ingest.enrichments.clusters.loaders import Entities, Papers
from ingest.enrichments.clusters.nearest_chunks import Doubles
from ingest.graph.batched_writes import batches, run_steps
from ingest.graph.rows import Row
from papergraph.database import Database


async def write_ranks(
    database: Database,
    papers: Papers,
    entities: Entities,
    paper_ranks: Doubles,
    entity_ranks: Doubles,
    model_sha256: str,
) -> int:
    """Write ranks that changed, to two digits; return their number."""
    of_papers = _changed(papers.ids, papers.page_ranks, paper_ranks)
    of_entities = _changed(entities.ids, entities.page_ranks, entity_ranks)
    steps = [
        *batches(cypher.load("enrichments/rank_papers"), of_papers),
        *batches(cypher.load("enrichments/rank_entities"), of_entities),
    ]
    await run_steps(database, "write ranks", model_sha256, steps)
    return len(of_papers) + len(of_entities)


def _changed(ids: Sequence[str], stored: Doubles, found: Doubles) -> list[Row]:
    ranks = np.round(found, 2)
    return [{"id": ids[at], "page_rank": float(ranks[at])} for at in np.flatnonzero(ranks != stored).tolist()]
