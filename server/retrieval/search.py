"""From a query to the passages that answer it best, each with its paper, its headings and its neighbours."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, UnknownCollectionError
from schema.ids import DEFAULT_COLLECTION, check_collection
from schema.records import Chunk, Paper, Section
from server.retrieval.fusion import reciprocal_rank_fusion
from server.retrieval.lucene import fulltext_query

MAX_K = 100
MAX_QUERY_CHARS = 4000
MIN_CANDIDATES = 50
SEARCHED_KINDS = ("front", "abstract", "body", "appendix")
"""Kinds of section that passages come from: a list of references matches many queries and answers none."""


class Leg(StrEnum):
    """A way of searching."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"


@dataclass(frozen=True)
class Candidate:
    """A chunk that a leg found; ``score`` is the leg's own, higher is better."""

    chunk_id: str
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
    database: Database, embedder: Embedder, query: str, *, collection: str = DEFAULT_COLLECTION, k: int = 10
) -> list[Hit]:
    """Return the ``k`` passages that answer ``query`` best: vector and full-text leg, fused by reciprocal rank.

    Args:
        database: A prepared store.
        embedder: The store's embedding model.
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
    n_candidates = max(MIN_CANDIDATES, 2 * k)
    by_vector, by_words = await asyncio.gather(
        vector_leg(database, embedder, query, collection=collection, k=n_candidates),
        fulltext_leg(database, query, collection=collection, k=n_candidates),
    )
    found = {Leg.VECTOR: by_vector, Leg.FULLTEXT: by_words}
    fused = reciprocal_rank_fusion({leg: [c.chunk_id for c in candidates] for leg, candidates in found.items()})
    if not fused:
        await refuse_unknown_collection(database, collection)
        return []
    return await _hits(database, dict(list(fused.items())[:k]), _leg_scores(found))


async def vector_leg(database: Database, embedder: Embedder, query: str, *, collection: str, k: int) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query's vector, best first."""
    vector = await asyncio.to_thread(embedder.encode_query, query)
    records = await database.read(
        cypher.load("retrieval/vector_top_k"),
        query_vector=vector.tolist(),
        collection=collection,
        kinds=list(SEARCHED_KINDS),
        k=k,
    )
    return [Candidate(record["chunk_id"], record["score"]) for record in records]


async def fulltext_leg(database: Database, query: str, *, collection: str, k: int) -> list[Candidate]:
    """Return the ``k`` chunks that match the query's words best, best first; none for a query without a word."""
    text = fulltext_query(query, collection=collection, kinds=SEARCHED_KINDS)
    if text is None:
        return []
    records = await database.read(cypher.load("retrieval/fulltext_top_k"), fulltext_query=text, k=k)
    return [Candidate(record["chunk_id"], record["score"]) for record in records]


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


def _leg_scores(found: dict[Leg, list[Candidate]]) -> dict[str, tuple[LegScore, ...]]:
    scores: dict[str, tuple[LegScore, ...]] = {}
    for leg, candidates in found.items():
        for rank, candidate in enumerate(candidates, start=1):
            scores[candidate.chunk_id] = (*scores.get(candidate.chunk_id, ()), LegScore(leg, rank, candidate.score))
    return scores


async def _hits(database: Database, scores: dict[str, float], legs: dict[str, tuple[LegScore, ...]]) -> list[Hit]:
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
