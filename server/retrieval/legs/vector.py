"""The vector leg: chunks whose vectors are nearest to the query's."""

from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate
from server.retrieval.followed import FollowedModel, Searched
from server.retrieval.legs.looking import looks
from server.retrieval.scope import Scope

MOST_COMPARED = 100
"""Chunks that are compared one by one rather than by the index; benchmarks/README.md#filters."""


async def vector_leg(database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query's vector, best first; exactly if the papers are given.

    What a filter lets through is compared chunk by chunk where it is little, else looked for in the index, which can be
    narrowed to papers; where ``k`` chunks pass, ``k`` come back. Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Karpukhin et al. 2020, Dense Passage Retrieval, arXiv:2004.04906.
    """
    if scope.is_empty:
        return []

    async def ask(searched: Searched, vector: list[float]) -> list[Record]:
        return await _search(
            database,
            searched,
            scope,
            query_vector=vector,
            model=searched.embedder.card.sha256,
            state=searched.state,
            kinds=list(scope.kinds),
            k=k,
        )

    return [Candidate(**record.data()) for record in await model.search(database, query, ask)]


async def _search(database: Database, searched: Searched, scope: Scope, **asked: Any) -> list[Record]:
    papers, chunks, passing = scope.papers, scope.chunks, scope.passing
    if papers is None and chunks is None:
        nearest = cypher.load("retrieval/vector_top_k", searched.slot)
        return await database.read(nearest, collection=scope.collection, **asked)
    chunk_ids = [] if chunks is None else list(chunks.ids)
    if chunks is not None and not chunks.all_but and len(chunk_ids) <= MOST_COMPARED:
        return await database.read(
            cypher.load("retrieval/vector_of_chunks", searched.slot), chunk_ids=chunk_ids, **asked
        )
    paper_ids = [] if papers is None else list(papers.ids)
    if passing is None or (
        chunks is None and papers is not None and not papers.all_but and passing.n_chunks_of_papers <= MOST_COMPARED
    ):
        return await database.read(
            cypher.load("retrieval/vector_of_papers", searched.slot), paper_ids=paper_ids, **asked
        )
    asked |= {"collection": scope.collection, "paper_ids": paper_ids, "chunk_ids": chunk_ids}
    if papers is not None and not papers.all_but:
        statement = cypher.load("retrieval/vector_in_papers", searched.slot)
        asked["all_but_chunks"] = chunks is None or chunks.all_but
        counts = [asked["k"]] if chunks is None else looks(asked["k"], passing.share(of_papers=True), passing.n_chunks)
    else:
        statement = cypher.load("retrieval/vector_all_but", searched.slot)
        counts = looks(asked["k"], passing.share(of_papers=False), passing.n_chunks)
    for n_looked in counts:
        records = await database.read(statement, n_looked=n_looked, **asked)
        if len(records) == asked["k"]:
            break
    return records
