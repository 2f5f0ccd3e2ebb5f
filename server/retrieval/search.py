"""From a query to the passages that answer it best, each with its paper, its headings and its neighbours."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, UnknownCollectionError
from schema.ids import DEFAULT_COLLECTION, check_collection
from schema.records import Chunk, Paper, Section
from server.retrieval.followed import FollowedModel, Searched
from server.retrieval.fusion import reciprocal_rank_fusion
from server.retrieval.lucene import fulltext_query

MAX_K = 100
MAX_QUERY_CHARS = 4000
MIN_CANDIDATES = 200
"""How many candidates each leg gives at least: with fewer, what both rank low outruns what one ranks first."""

SEARCHED_KINDS = ("front", "abstract", "body", "appendix", "table", "equation", "caption")
"""Kinds of chunk that passages come from: a list of references matches many queries and answers none."""


class Leg(StrEnum):
    """A way of searching."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"


class Pipeline(StrEnum):
    """A ranking by one leg, or by both fused by reciprocal rank, which is what ``search`` gives."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    FUSED = "fused"

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs that it asks."""
        return tuple(Leg) if self is Pipeline.FUSED else (Leg(self),)


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found; ``score`` is the leg's own or the fused one, higher is better."""

    chunk_id: str
    paper_id: str
    score: float


@dataclass(frozen=True)
class LegScore:
    """Where a leg put a hit: rank from 1, and the leg's score, (1 + cosine) / 2 or BM25."""

    leg: Leg
    rank: int
    score: float


@dataclass(frozen=True)
class Hit:
    """A passage for a query.

    Attributes:
        rank: From 1, best first.
        score: Fused score, higher is better, comparable within one query only.
        legs: What each leg that found it says.
        chunk: The passage.
        section: The section it stands in, with the headings above.
        paper: The paper it stands in.
        previous: The chunk before it in the paper.
        next: The chunk after it in the paper.
    """

    rank: int
    score: float
    legs: tuple[LegScore, ...]
    chunk: Chunk
    section: Section
    paper: Paper
    previous: Chunk | None
    next: Chunk | None


async def search(
    database: Database,
    embedder: Embedder | FollowedModel,
    query: str,
    *,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
) -> list[Hit]:
    """Return the ``k`` passages that answer ``query`` best: vector and full-text leg, fused by reciprocal rank.

    Args:
        database: A prepared store.
        embedder: The store's embedding model, or one that follows the store.
        query: What is looked for, in any words; 1 to 4000 characters.
        collection: Where to look.
        k: Number of hits, 1 to 100.

    Returns:
        At most ``k`` hits, best first; no hits give an empty list.

    Raises:
        InputError: ``query``, ``k`` or ``collection`` is not acceptable; ``field`` says which.
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    query = check_query(query)
    check_k(k)
    check_collection(collection)
    found = await _ask_legs(database, embedder, query, tuple(Leg), collection=collection, k=_depth(k), paper_ids=None)
    fused = _fuse(found)
    if not fused:
        await refuse_unknown_collection(database, collection)
        return []
    return await _hits(database, fused[:k], _leg_scores(found))


async def rank(
    database: Database,
    embedder: Embedder | FollowedModel,
    query: str,
    *,
    pipeline: Pipeline = Pipeline.FUSED,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
    paper_ids: Sequence[str] | None = None,
) -> list[Candidate]:
    """Return the ``k`` chunks that a pipeline ranks first; with ``Pipeline.FUSED`` those of :func:`search`.

    Args:
        database: A prepared store.
        embedder: The store's embedding model, or one that follows the store.
        query: What is looked for, in any words; 1 to 4000 characters.
        pipeline: How to rank.
        collection: Where to look.
        k: Number of chunks, at least 1.
        paper_ids: Papers of the collection to look in, or None for all. Every chunk of theirs is then compared: the
            ranking is exact, with BM25's statistics from the whole index, and takes longer the more there are.

    Returns:
        At most ``k`` chunks, best first.

    Raises:
        InputError: ``query`` or ``collection`` is not acceptable; ``field`` says which.
        DatabaseError: Neo4j failed.
    """
    query = check_query(query)
    check_collection(collection)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    depth = _depth(k)  # of one leg too: asked for few, the vector index misses some of the very nearest
    found = await _ask_legs(
        database, embedder, query, pipeline.legs, collection=collection, k=depth, paper_ids=paper_ids
    )
    return (_fuse(found) if pipeline is Pipeline.FUSED else found[pipeline.legs[0]])[:k]


async def vector_leg(
    database: Database,
    embedder: Embedder | FollowedModel,
    query: str,
    *,
    collection: str,
    k: int,
    paper_ids: Sequence[str] | None = None,
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query's vector, best first; exactly if the papers are given."""
    model = embedder if isinstance(embedder, FollowedModel) else FollowedModel(embedder)

    async def ask(searched: Searched, vector: list[float]) -> list[Record]:
        asked: dict[str, Any] = {
            "query_vector": vector,
            "model": searched.embedder.card.sha256,
            "state": searched.state,
            "kinds": list(SEARCHED_KINDS),
            "k": k,
        }
        if paper_ids is None:
            nearest = cypher.load("retrieval/vector_top_k", searched.slot)
            return await database.read(nearest, collection=collection, **asked)
        nearest = cypher.load("retrieval/vector_of_papers", searched.slot)
        return await database.read(nearest, paper_ids=list(paper_ids), **asked)

    return [Candidate(**record.data()) for record in await model.search(database, query, ask)]


async def fulltext_leg(
    database: Database, query: str, *, collection: str, k: int, paper_ids: Sequence[str] | None = None
) -> list[Candidate]:
    """Return the ``k`` chunks that match the query's words best, best first; none for a query without a word."""
    text = fulltext_query(query, collection=collection, kinds=SEARCHED_KINDS)
    if text is None:
        return []
    if paper_ids is None:
        records = await database.read(cypher.load("retrieval/fulltext_top_k"), fulltext_query=text, k=k)
    else:
        counted = await database.read(cypher.load("papers/count_chunks"))
        records = await database.read(
            cypher.load("retrieval/fulltext_of_papers"),
            fulltext_query=text,
            n_chunks=max(1, counted[0]["n_chunks"]),
            paper_ids=list(paper_ids),
            k=k,
        )
    return [Candidate(**record.data()) for record in records]


async def refuse_unknown_collection(database: Database, collection: str) -> None:
    """Raise ``UnknownCollectionError`` if a collection holds no paper; the default one is always there."""
    if collection != DEFAULT_COLLECTION:
        records = await database.read(cypher.load("papers/collection_exists"), collection=collection)
        if not records[0]["found"]:
            raise UnknownCollectionError(collection)


def check_query(query: str) -> str:
    """Return ``query`` without white space around it.

    Raises:
        InputError: Nothing is left, or it is longer than 4000 characters.
    """
    query = query.strip()
    if not query:
        raise InputError("the query is empty", field="query")
    if len(query) > MAX_QUERY_CHARS:
        raise InputError(f"the query has {len(query)} characters, at most {MAX_QUERY_CHARS} are allowed", field="query")
    return query


def check_k(k: int) -> None:
    """Raise ``InputError`` unless 1 <= k <= 100."""
    if not 1 <= k <= MAX_K:
        raise InputError(f"k must be 1 to {MAX_K}, got {k}", field="k")


def _depth(k: int) -> int:
    """Return how many candidates each leg gives for ``k`` fused ones."""
    return max(MIN_CANDIDATES, 2 * k)


async def _ask_legs(
    database: Database,
    embedder: Embedder | FollowedModel,
    query: str,
    legs: Sequence[Leg],
    *,
    collection: str,
    k: int,
    paper_ids: Sequence[str] | None,
) -> dict[Leg, list[Candidate]]:
    """Return what each leg finds; they are asked at the same time."""
    asked = {
        Leg.VECTOR: lambda: vector_leg(database, embedder, query, collection=collection, k=k, paper_ids=paper_ids),
        Leg.FULLTEXT: lambda: fulltext_leg(database, query, collection=collection, k=k, paper_ids=paper_ids),
    }
    return dict(zip(legs, await asyncio.gather(*(asked[leg]() for leg in legs)), strict=True))


def _fuse(found: dict[Leg, list[Candidate]]) -> list[Candidate]:
    """Return what the legs found as one ranking; of equal scores first what the full-text leg ranks higher."""
    paper_of = {candidate.chunk_id: candidate.paper_id for candidates in found.values() for candidate in candidates}
    fused = reciprocal_rank_fusion(
        {leg: [candidate.chunk_id for candidate in found[leg]] for leg in (Leg.FULLTEXT, Leg.VECTOR)}
    )
    return [Candidate(id, paper_of[id], score) for id, score in fused.items()]


def _leg_scores(found: dict[Leg, list[Candidate]]) -> dict[str, tuple[LegScore, ...]]:
    scores: dict[str, tuple[LegScore, ...]] = {}
    for leg, candidates in found.items():
        for place, candidate in enumerate(candidates, start=1):
            scores[candidate.chunk_id] = (*scores.get(candidate.chunk_id, ()), LegScore(leg, place, candidate.score))
    return scores


async def _hits(
    database: Database, candidates: Sequence[Candidate], legs: dict[str, tuple[LegScore, ...]]
) -> list[Hit]:
    scores = {candidate.chunk_id: candidate.score for candidate in candidates}
    records = await database.read(cypher.load("retrieval/passages"), chunk_ids=list(scores))
    by_id = {record["chunk"]["id"]: record for record in records}
    present = [id for id in scores if id in by_id]  # one may have been deleted since it was found
    return [
        Hit(
            rank=rank,
            score=scores[id],
            legs=tuple(legs[id]),
            chunk=Chunk.of(by_id[id]["chunk"]),
            section=Section.of(by_id[id]["section"], path=by_id[id]["path"], parent_id=by_id[id]["parent_id"]),
            paper=Paper.of(by_id[id]["paper"]),
            previous=by_id[id]["previous"] and Chunk.of(by_id[id]["previous"]),
            next=by_id[id]["next"] and Chunk.of(by_id[id]["next"]),
        )
        for rank, id in enumerate(present, start=1)
    ]
