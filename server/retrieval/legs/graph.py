"""Legs along the graph: what mentions the query's entities, what stands in its clusters, what is cited or cites."""

import asyncio
from typing import Any

import numpy as np
from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate, Via
from server.retrieval.followed import FollowedModel, Searched
from server.retrieval.legs.looking import first_passing
from server.retrieval.legs.vector import vector_leg
from server.retrieval.linking import link
from server.retrieval.scope import Scope
from server.selection.problem import Floats

N_CLUSTERS = 3
N_SEEDS = 10
MOST_ENTITIES = 10
LEAST_COSINE = 0.5
"""Between the query and an entity that it does not name; the thesis takes those above, ten at most."""
MOST_MENTIONS = 100
MOST_EDGES = 20_000
DAMPING = 0.5
MOST_ROUNDS, CONVERGED = 50, 1e-9


async def entity_leg(database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks that mention the entities which the query names, or which are near to it, best first.

    An entity counts 1 / (1 + ln n) where n chunks mention it; the sum and the chunk's (1 + cosine) / 2 are the score.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """
    ids = await _entities(database, model, query, scope)
    if not ids:
        return []

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_entities", searched.slot),
                **_asked(searched, vector, scope, n),
                entity_ids=ids,
                state=searched.state,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                tuple(Via("Entity", entity["id"], entity["name"]) for entity in record["entities"]),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def cluster_leg(database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query in the three clusters nearest to it: topics, groups of papers.

    Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_clusters", searched.slot),
                **_asked(searched, vector, scope, n),
                collection=scope.collection,
                n_clusters=N_CLUSTERS,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Cluster", record["cluster_id"], record["cluster"]),),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def citation_leg(
    database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query in papers that cite, or are cited by, those of the nearest chunks.

    Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_citations", searched.slot),
                **_asked(searched, vector, scope, n),
                collection=scope.collection,
                n_seeds=N_SEEDS,
                state=searched.state,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Paper", record["from_id"], record["from_title"]),),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def pagerank_leg(
    database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int
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
        vector_leg(database, model, query, scope, k=N_SEEDS), _entities(database, model, query, scope)
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
    """Return each node's probability to be visited by a walk that goes back to where it began.

    Args:
        edges: Pairs of nodes; a walk goes both ways.
        begin: Weight of each node as a beginning, shape (n,), at least 0; all 0 gives zeros.
        damping: Probability to go on, in [0, 1).

    Returns:
        Shape (n,), sum 1; a node without edges gives what it has back to the beginning.
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


async def _entities(database: Database, model: FollowedModel, query: str, scope: Scope) -> list[str]:
    """Return ids of the entities that the query names, and of those near to its vector, ten at most."""

    async def near(searched: Searched, vector: list[float]) -> list[Record]:
        return await database.read(
            cypher.load("retrieval/entities_near", searched.slot),
            query_vector=vector,
            collection=scope.collection,
            model=searched.embedder.card.sha256,
            k=MOST_ENTITIES,
        )

    named, close = await asyncio.gather(
        link(database, scope.collection, query, k=MOST_ENTITIES), model.search(database, query, near)
    )
    ids = [one.entity_id for one in named]
    ids += [record["id"] for record in close if 2.0 * record["score"] - 1.0 > LEAST_COSINE]
    return list(dict.fromkeys(ids))[:MOST_ENTITIES]


def _asked(searched: Searched, vector: list[float], scope: Scope, k: int) -> dict[str, Any]:
    return {
        "query_vector": vector,
        "model": searched.embedder.card.sha256,
        "paper_ids": scope.looked_in,
        "kinds": list(scope.kinds),
        "k": k,
    }
