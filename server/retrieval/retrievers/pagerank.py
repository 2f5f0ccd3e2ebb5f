"""The retriever of personalised PageRank, from the entities of the query over what mentions them."""

import asyncio

import numpy as np

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.retrievers.base import Context, Retriever
from papergraph.server.retrieval.retrievers.entity import N_SEEDS, entities_of_query
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import Scope
from papergraph.server.selection.problem import Floats

MOST_MENTIONS = 100
MOST_EDGES = 20_000
DAMPING = 0.5
MOST_ROUNDS, CONVERGED = 50, 1e-9


async def retrieve_by_pagerank(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks with the highest personalised PageRank, by mentions of entities, best first.

    The walk begins at the chunks nearest to the query, in proportion to their cosine, and at the entities that it
    names, and goes along at most 20,000 mentions around them. Scores are probabilities.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Haveliwala 2002, Topic-Sensitive PageRank, doi:10.1145/511446.511513; damping .5 after HippoRAG,
    arXiv:2405.14831.
    """
    seeds, entities = await asyncio.gather(
        retrieve_by_vector(database, model, query, scope, k=N_SEEDS), entities_of_query(database, model, query, scope)
    )
    records = await database.read(
        cypher.gathered("retrieval/mentions_around"),
        chunk_ids=[seed.chunk_id for seed in seeds],
        entity_ids=entities,
        most=MOST_MENTIONS,
        paper_ids=scope.looked_in,
        kinds=list(scope.kinds),
        limit=MOST_EDGES,
    )
    paper_of = {seed.chunk_id: seed.paper_id for seed in seeds} | {r["chunk_id"]: r["paper_id"] for r in records}
    chunks = {id: place for place, id in enumerate(paper_of)}
    names = {record["entity_id"]: record["entity"] for record in records}
    places = {id: len(chunks) + place for place, id in enumerate(names)}
    begin = np.zeros(len(chunks) + len(places))
    for seed in seeds:
        begin[chunks[seed.chunk_id]] = max(0.0, 2.0 * seed.score - 1.0)
    for id in entities:
        if id in places:
            begin[places[id]] = 1.0
    edges = [(chunks[record["chunk_id"]], places[record["entity_id"]]) for record in records]
    ranks = personalised_pagerank(edges, begin)
    via: dict[str, list[str]] = {}
    for record in records:
        via.setdefault(record["chunk_id"], []).append(record["entity_id"])
    let_in = [id for id in chunks if scope.passes(id, paper_of[id])]
    best = sorted(let_in, key=lambda id: (-ranks[chunks[id]], id))[:k]
    return [
        Candidate(
            id,
            paper_of[id],
            float(ranks[chunks[id]]),
            tuple(Via("Entity", entity, names[entity]) for entity in via.get(id, ())[:3]),
        )
        for id in best
        if ranks[chunks[id]] > 0.0
    ]


def personalised_pagerank(edges: list[tuple[int, int]], begin: Floats, *, damping: float = DAMPING) -> Floats:
    """Return each node's probability in a random walk with restarts.

    Args:
        edges: Pairs of nodes, undirected.
        begin: Weight of each node as a start, shape (n,), at least 0; if all are 0 the result is 0.
        damping: Probability of another step, in [0, 1).

    Returns:
        Shape (n,), sum 1; a node without edges leads back to the start.
    """
    n, total = len(begin), float(begin.sum())
    start: Floats = begin / total if total else np.zeros(n)
    if not edges or not total:
        return start
    one, other = np.array(edges, dtype=np.int64).T
    tails, heads = np.concatenate([one, other]), np.concatenate([other, one])
    degree = np.bincount(tails, minlength=n).astype(np.float64)
    ranks = start
    for _ in range(MOST_ROUNDS):
        share = np.divide(ranks, degree, out=np.zeros(n), where=degree > 0)
        walked: Floats = np.bincount(heads, weights=share[tails], minlength=n).astype(np.float64)
        new: Floats = damping * walked + (1.0 - damping * float(walked.sum())) * start
        if np.abs(new - ranks).sum() < CONVERGED:
            return new
        ranks = new
    return ranks


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_pagerank(on.database, on.model, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.PAGERANK, 9, _retrieve, needs=("entities",))
