"""From a query to the passages that answer it best, each with its paper, its headings and its neighbours."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from schema.records import Chunk, Paper, Section
from server.retrieval.candidates import Candidate, LegName
from server.retrieval.followed import FollowedModel
from server.retrieval.fusion import reciprocal_rank_fusion
from server.retrieval.legs.fulltext import fulltext_leg
from server.retrieval.legs.vector import vector_leg
from server.retrieval.scope import Scope, refuse_unknown_collection

MAX_K = 100
MAX_QUERY_CHARS = 4000
MIN_CANDIDATES = 200
"""How many candidates each leg gives at least: with fewer, what both rank low outruns what one ranks first."""


class Pipeline(StrEnum):
    """A ranking by one leg, or by both fused by reciprocal rank, which is what ``search`` gives."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    FUSED = "fused"

    @property
    def legs(self) -> tuple[LegName, ...]:
        """The legs that it asks."""
        return (LegName.VECTOR, LegName.FULLTEXT) if self is Pipeline.FUSED else (LegName(self),)


@dataclass(frozen=True)
class LegScore:
    """Where a leg put a hit: rank from 1, and the leg's score, (1 + cosine) / 2 or BM25."""

    leg: LegName
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
    scope = Scope(collection)
    found = await _ask_legs(database, embedder, query, (LegName.VECTOR, LegName.FULLTEXT), scope, k=_depth(k))
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
    scope = Scope(collection, paper_ids=None if paper_ids is None else tuple(paper_ids))
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    depth = _depth(k)  # of one leg too: asked for few, the vector index misses some of the very nearest
    found = await _ask_legs(database, embedder, query, pipeline.legs, scope, k=depth)
    return (_fuse(found) if pipeline is Pipeline.FUSED else found[pipeline.legs[0]])[:k]


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
    legs: Sequence[LegName],
    scope: Scope,
    *,
    k: int,
) -> dict[LegName, list[Candidate]]:
    """Return what each leg finds; they are asked at the same time."""
    model = embedder if isinstance(embedder, FollowedModel) else FollowedModel(embedder)
    asked = {
        LegName.VECTOR: lambda: vector_leg(database, model, query, scope, k=k),
        LegName.FULLTEXT: lambda: fulltext_leg(database, query, scope, k=k),
    }
    return dict(zip(legs, await asyncio.gather(*(asked[leg]() for leg in legs)), strict=True))


def _fuse(found: dict[LegName, list[Candidate]]) -> list[Candidate]:
    """Return what the legs found as one ranking; of equal scores first what the full-text leg ranks higher."""
    paper_of = {candidate.chunk_id: candidate.paper_id for candidates in found.values() for candidate in candidates}
    fused = reciprocal_rank_fusion(
        {leg: [candidate.chunk_id for candidate in found[leg]] for leg in (LegName.FULLTEXT, LegName.VECTOR)}
    )
    return [Candidate(id, paper_of[id], score) for id, score in fused.items()]


def _leg_scores(found: dict[LegName, list[Candidate]]) -> dict[str, tuple[LegScore, ...]]:
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
