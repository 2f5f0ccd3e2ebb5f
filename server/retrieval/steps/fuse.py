"""Several rankings to one: by rank, or by scaled scores, as those of different retrievers cannot be added."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from papergraph.server.retrieval.candidates import Candidate, RankedCandidate, Ranking, RetrieverName, RetrieverScore
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind


class FuseBy(StrEnum):
    """Method of fusing the scores of rankings."""

    RRF = "rrf"
    SHARE = "share"
    INTERLEAVE = "interleave"


class Across(StrEnum):
    """Method of merging the lists of several queries."""

    SUM = "sum"
    MAX = "max"
    INTERLEAVE = "interleave"


class Fuse(Step):
    """Fusion of all rankings into one list.

    ``rrf`` adds 1 / (constant + rank). ``interleave`` takes turns: each retriever adds its best remaining chunk, the
    highest weight first; weight 0 disables a retriever. ``share`` adds scores on a common scale, weighted: 0 is that of
    an unrelated chunk, 1 that of a perfect one. A chunk missing in a full ranking counts as its lowest one. For several
    queries, scores are added, or a chunk keeps its best, or the lists take turns.
    """

    ranks: ClassVar[bool] = True

    step: Literal["fuse"] = "fuse"
    by: FuseBy = FuseBy.RRF
    constant: Annotated[int, Field(ge=1, le=10_000)] = 60
    weights: dict[RetrieverName, Annotated[float, Field(ge=0, le=1000)]] = Field(default_factory=dict)
    across: Across = Across.SUM
    k: Count | None = None

    def check(self, plan: Plan) -> None:
        """Refuse weights without effect, and a fusion without rankings."""
        if not plan.searched:
            raise plan.refuse("there is nothing to fuse: search before it")
        if unknown := set(self.weights) - plan.retrievers:
            raise plan.refuse(f"weights of retrievers that are not searched: {', '.join(sorted(unknown))}")
        if self.weights and not any(self.weights.get(name, 1.0) for name in plan.retrievers):
            raise plan.refuse("all weights are 0")
        plan.fused = plan.candidates = True
        plan.score = (0.0, math.inf)

    async def run(self, state: State) -> Sequence[str]:
        """Make one list of all rankings."""
        state.candidates = fuse(state.rankings, self)
        state.last_fuse = self
        return ()


def fuse(rankings: Sequence[Ranking], step: Fuse) -> list[RankedCandidate]:
    """Return one list of all that the rankings hold, best first, at most ``step.k``; see :func:`fused_scores`."""
    scores = fused_scores(rankings, step)
    return collect(rankings, scores, list(scores))


def fused_scores(rankings: Sequence[Ranking], step: Fuse) -> dict[str, float]:
    """Return the scores of all chunks that the rankings hold by id, best first, at most ``step.k``.

    Of equal scores what full text ranks higher comes first, then what the other retrievers do, then by id.

    Reciprocal ranks: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion, doi:10.1145/1571941.1572114.
    Sums of scores: Fox and Shaw 1994, Combination of Multiple Searches (CombSUM); scales from the least and highest
    possible scores, and weights: Bruch, Gai and Ingber 2023, An Analysis of Fusion Functions for Hybrid Retrieval,
    doi:10.1145/3596512.
    """
    queries = queries_of(rankings)
    lists = {query: _of_one_query([r for r in rankings if r.query == query], step) for query in queries}
    ranks = ranks_of(rankings)
    if len(queries) <= 1:
        scores = lists[queries[0]] if queries else {}
    elif step.across is Across.INTERLEAVE:
        scores = _in_turns([order_of(scores, ranks) for scores in lists.values()])
    else:
        join = sum if step.across is Across.SUM else max
        ids = dict.fromkeys(id for scores in lists.values() for id in scores)
        scores = {id: join(scores[id] for scores in lists.values() if id in scores) for id in ids}
    return {id: scores[id] for id in order_of(scores, ranks)[: step.k]}


def queries_of(rankings: Sequence[Ranking]) -> list[int]:
    """Return the numbers of the queries that rankings are of, in order."""
    return sorted({ranking.query for ranking in rankings})


def take_turns(lists: Sequence[Sequence[RankedCandidate]]) -> list[RankedCandidate]:
    """Return one list of all, each giving in turn its best that has not come yet; scores are one over the place."""
    retrievers: dict[str, tuple[RetrieverScore, ...]] = {}
    found: dict[str, RankedCandidate] = {}
    for candidates in lists:
        for one in candidates:
            retrievers[one.chunk_id] = retrievers.get(one.chunk_id, ()) + one.retrievers
            found.setdefault(one.chunk_id, one)
    turns = _in_turns([[one.chunk_id for one in candidates] for candidates in lists])
    return [replace(found[id], score=score, retrievers=retrievers[id]) for id, score in turns.items()]


def collect(rankings: Sequence[Ranking], scores: Mapping[str, float], ids: Sequence[str]) -> list[RankedCandidate]:
    """Return the chunks ``ids`` with their scores, and with what each ranking says of them."""
    wanted = set(ids)
    found: dict[str, Candidate] = {}
    retrievers: dict[str, list[RetrieverScore]] = {id: [] for id in ids}
    for ranking in rankings:
        for rank, candidate in enumerate(ranking.candidates, start=1):
            if candidate.chunk_id in wanted:
                best = found.setdefault(candidate.chunk_id, candidate)
                if candidate.via and not best.via:
                    found[candidate.chunk_id] = candidate
                score, share = candidate.score, ranking.scale.share(candidate.score)
                retrievers[candidate.chunk_id].append(
                    RetrieverScore(ranking.retriever, rank, score, ranking.query, candidate.via, share)
                )
    return [RankedCandidate(id, found[id].paper_id, scores[id], tuple(retrievers[id]), found[id].via) for id in ids]


def _of_one_query(rankings: Sequence[Ranking], step: Fuse) -> dict[str, float]:
    weights = [step.weights.get(ranking.retriever, 1.0) for ranking in rankings]
    if step.by is FuseBy.INTERLEAVE:
        turns = sorted(zip(weights, rankings, strict=True), key=lambda pair: -pair[0])
        return _in_turns([[one.chunk_id for one in ranking.candidates] for weight, ranking in turns if weight])
    scores: dict[str, float] = {}
    if step.by is FuseBy.RRF:
        for ranking, weight in zip(rankings, weights, strict=True):
            for rank, candidate in enumerate(ranking.candidates, start=1):
                scores[candidate.chunk_id] = scores.get(candidate.chunk_id, 0.0) + weight / (step.constant + rank)
        return scores
    total = sum(weights)
    shares = [weight / total if total else 0.0 for weight in weights]
    of_missing = [share * one.scale.share(one.scale.missing) for one, share in zip(rankings, shares, strict=True)]
    least = sum(of_missing)
    for ranking, share, missing in zip(rankings, shares, of_missing, strict=True):
        for one in ranking.candidates:
            before = scores.get(one.chunk_id, least)
            scores[one.chunk_id] = before + share * ranking.scale.share(one.score) - missing
    return scores


def ranks_of(rankings: Sequence[Ranking]) -> dict[str, list[float]]:
    """Return each chunk's rank in every ranking, full text first: what decides between equal scores."""
    ordered = sorted(rankings, key=lambda ranking: (ranking.retriever is not RetrieverName.FULLTEXT, ranking.query))
    ranks: dict[str, list[float]] = {}
    for place, ranking in enumerate(ordered):
        for rank, candidate in enumerate(ranking.candidates, start=1):
            ranks.setdefault(candidate.chunk_id, [math.inf] * len(ordered))[place] = rank
    return ranks


def order_of(scores: Mapping[str, float], ranks: Mapping[str, list[float]]) -> list[str]:
    """Return ids by score, the highest first; between equal ones decide ranks, then the ids."""
    return sorted(scores, key=lambda id: (-scores[id], ranks[id], id))


def _in_turns(lists: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the ids by turns, each list its best that has not had one; the score is one over the place."""
    taken: dict[str, float] = {}
    places = [0] * len(lists)
    while any(place < len(ids) for place, ids in zip(places, lists, strict=True)):
        for turn, ids in enumerate(lists):
            while places[turn] < len(ids) and ids[places[turn]] in taken:
                places[turn] += 1
            if places[turn] < len(ids):
                taken[ids[places[turn]]] = 1.0 / (len(taken) + 1)
    return taken


STEP = StepKind(Fuse, order=3)
