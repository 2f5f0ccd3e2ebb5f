"""What candidates' scores, and the queries that found them, count for when passages are selected."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from server.retrieval.candidates import Candidate, RankedCandidate, Ranking
from server.retrieval.steps.fuse import Fuse, fuse, queries_of
from server.selection.problem import Floats, Singles

SHARPNESS = 4.0
OF_QUERIES = 0.8
N_READ = 5
OF_FEEDBACK = 0.5


class Relevance(StrEnum):
    """What makes a candidate relevant, and two candidates redundant.

    ``score``     the score that it came with, and the cosine of their vectors.
    ``coverage``  its place where the query's parts take turns, and the parts that both were found for: what the
                  ``select`` step does.
    ``feedback``  the same, where a part's list is ordered by nearness to its first passages too.

    Of one query, where there are no parts, all three are ``score``.
    """

    SCORE = "score"
    COVERAGE = "coverage"
    FEEDBACK = "feedback"


def relevance_of(scores: Sequence[float]) -> Floats:
    """Return scores scaled to [0, 1] over all that are given, shape (n,); ones where they do not differ.

    A selection weighs them against cosines, whatever scale a pipeline's scores are on.
    """
    given = np.asarray(scores, dtype=np.float64)
    spread = float(np.ptp(given)) if len(given) else 0.0
    return (given - given.min()) / spread if spread > 0.0 else np.ones(len(given))


def terms(
    candidates: Sequence[RankedCandidate], vectors: Singles, step: Fuse | None, by: Relevance
) -> tuple[Floats, Singles | Floats]:
    """Return the relevance of candidates, shape (n,), and rows whose cosines are their similarity, shape (n, any).

    Coverage, as explicit diversification has it: a passage is redundant to another as far as they serve the same part
    of the query. A row is a candidate's scores for each part, sharpened, at length 1, beside its vector at a fifth of
    the weight, so the similarity stays positive semidefinite.

    Args:
        candidates: Best first, with what each retriever says of them for each query.
        vectors: Theirs, of length 1, shape (n, d).
        step: How the rankings of a query were fused; None of a single retriever.
        by: Which way.

    Source: Santos, Macdonald and Ounis 2010, Exploiting Query Reformulations for Web Search Result Diversification
    (xQuAD), doi:10.1145/1772690.1772780; feedback: Rocchio 1971.
    """
    rankings = [] if by is Relevance.SCORE or step is None else _rankings(candidates)
    queries = queries_of(rankings)
    if len(queries) < 2 or step is None:
        return relevance_of([candidate.score for candidate in candidates]), vectors
    of_queries = np.zeros((len(queries), len(candidates)))
    places = {candidate.chunk_id: place for place, candidate in enumerate(candidates)}
    for row, query in zip(of_queries, queries, strict=True):
        for found in fuse([one for one in rankings if one.query == query], step.model_copy(update={"k": None})):
            row[places[found.chunk_id]] = max(0.0, found.score)
        if by is Relevance.FEEDBACK:
            row[:] = _with_feedback(row, vectors)
    profile = of_queries.T**SHARPNESS
    norms = np.linalg.norm(profile, axis=1, keepdims=True)
    profile /= np.where(norms > 0.0, norms, 1.0)
    rows = np.hstack([OF_QUERIES**0.5 * profile, (1.0 - OF_QUERIES) ** 0.5 * vectors])
    return 1.0 - _turns(of_queries) / len(candidates), rows


def _rankings(candidates: Sequence[RankedCandidate]) -> list[Ranking]:
    """Return what each retriever found for each query, as far as it is among the candidates, best first."""
    keys = sorted({(retriever.query, retriever.retriever) for one in candidates for retriever in one.retrievers})
    found = []
    for query, name in keys:
        mine = [
            (retriever.rank, Candidate(one.chunk_id, one.paper_id, retriever.score))
            for one in candidates
            for retriever in one.retrievers
            if (retriever.query, retriever.retriever) == (query, name)
        ]
        found.append(Ranking(query, name, tuple(one for _, one in sorted(mine, key=lambda pair: pair[0]))))
    return found


def _with_feedback(scores: Floats, vectors: Singles) -> Floats:
    """Return a query's scores, half of each its nearness to the mean of the first passages, weighed by their scores."""
    first = np.argsort(-scores, kind="stable")[:N_READ]
    near = np.maximum(0.0, vectors @ (scores[first] @ vectors[first]))
    blended = (1.0 - OF_FEEDBACK) * scores + OF_FEEDBACK * near / max(1e-12, float(near.max()))
    return np.where(scores > 0.0, blended, 0.0)


def _turns(of_queries: Floats) -> Floats:
    """Return each candidate's place, from 0, where the queries give in turn their best that has not come yet."""
    lists = [list(np.argsort(-row, kind="stable")) for row in of_queries]
    places: dict[int, int] = {}
    heads = [0] * len(lists)
    while len(places) < of_queries.shape[1]:
        for turn, order in enumerate(lists):
            while heads[turn] < len(order) and int(order[heads[turn]]) in places:
                heads[turn] += 1
            if heads[turn] < len(order):
                places[int(order[heads[turn]])] = len(places)
    return np.array([places[position] for position in range(of_queries.shape[1])], dtype=np.float64)
