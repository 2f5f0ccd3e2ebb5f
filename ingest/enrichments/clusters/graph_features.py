"""Ranks and places of papers and entities, written where they changed."""

import numpy as np

import cypher
from ingest.enrichments.clusters.loaders import Entities, Papers
from ingest.enrichments.clusters.nearest_chunks import Doubles
from ingest.graph.batched_writes import batches, run_steps
from papergraph.database import Database
from papergraph.embedding import Floats


async def write_places(
    database: Database,
    papers: Papers,
    entities: Entities,
    paper_ranks: Doubles,
    structures: Doubles,
    entity_ranks: Doubles,
    model_sha256: str,
) -> int:
    """Write ranks and places that changed, ranks to two digits; how many they are."""
    ranks, vectors = np.round(paper_ranks, 2), structures.astype(np.float32)
    rows = [
        {"id": id, "page_rank": float(ranks[at]), "structure": vectors[at].tolist()}
        for at, id in enumerate(papers.ids)
        if papers.page_ranks[at] != ranks[at] or not _same(papers.structures[at], vectors[at])
    ]
    of_entities = np.round(entity_ranks, 2)
    rank_rows = [
        {"id": entities.ids[at], "page_rank": float(of_entities[at])}
        for at in np.flatnonzero(of_entities != entities.page_ranks).tolist()
    ]
    steps = [
        *batches(cypher.load("enrichments/write_places"), rows),
        *batches(cypher.load("enrichments/rank_entities"), rank_rows),
    ]
    await run_steps(database, "write places", model_sha256, steps)
    return len(rows) + len(rank_rows)


def _same(stored: Floats | None, found: Floats) -> bool:
    return stored is not None and stored.shape == found.shape and bool(np.allclose(stored, found, atol=1e-4))
