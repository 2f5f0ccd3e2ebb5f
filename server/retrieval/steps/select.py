"""Step that selects diverse passages by their relevance."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict

from papergraph import cypher
from papergraph.records import described
from papergraph.requests import CAMEL_CASE, PYTHON_ONLY
from papergraph.server.retrieval.candidates import Candidate, RankedCandidate, Ranking, SelectionDetail
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind, nearest
from papergraph.server.retrieval.steps.expand import Expansion
from papergraph.server.retrieval.steps.fuse import Fuse, fused_scores, queries_of
from papergraph.server.selection.backends import NAMES, Backend, ExactBackend, backend, select_with
from papergraph.server.selection.problem import Floats, Form, Problem, SelectionLimits, Singles
from papergraph.server.selection.result import SelectionReport
from papergraph.server.selection.solver import select
from papergraph.telemetry import metrics, tracing

# Relevance of candidates for selection, from their scores and queries


SHARPNESS = 4.0
OF_QUERIES = 0.8
N_READ = 5
OF_FEEDBACK = 0.5


class Relevance(StrEnum):
    """Definition of relevance and redundancy of candidates.

    ``score`` the candidate's score, and the cosine of vectors. ``coverage``  its place where the query's parts take
    turns, and the parts that both were found for: what the ``select`` step does. ``feedback``  the same, where a part's
    list is ordered by nearness to its first passages too.

    For a query without parts all three equal ``score``.
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
        mine = [one for one in rankings if one.query == query]
        for id, score in fused_scores(mine, step.model_copy(update={"k": None})).items():
            row[places[id]] = max(0.0, score)
        if by is Relevance.FEEDBACK:
            row[:] = _with_feedback(row, vectors)
    profile = of_queries.T**SHARPNESS
    norms = np.linalg.norm(profile, axis=1, keepdims=True)
    profile /= np.where(norms > 0.0, norms, 1.0)
    rows = np.hstack([OF_QUERIES**0.5 * profile, (1.0 - OF_QUERIES) ** 0.5 * vectors])
    return 1.0 - _turns(of_queries) / len(candidates), rows


def _rankings(candidates: Sequence[RankedCandidate]) -> list[Ranking]:
    """Return what each retriever found for each query among the candidates, best first, on the common scale."""
    keys = sorted({(retriever.query, retriever.retriever) for one in candidates for retriever in one.retrievers})
    found = []
    for query, name in keys:
        mine = [
            (retriever.rank, Candidate(one.chunk_id, one.paper_id, retriever.share))
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


# The selection step: candidates to k passages, as a QUBO over their vectors, with a certificate


class Select(Step):
    """Selection of relevant, diverse passages with a certificate.

    Chooses ``k`` of the first ``pool`` candidates as a QUBO (docs/selection.md); fewer where no more keep to
    ``max_per_paper`` passages of a paper and ``token_budget`` tokens in all.
    """

    model_config = ConfigDict(**CAMEL_CASE, title="SelectionBody", loc_by_alias=False)

    ranks: ClassVar[bool] = True

    step: Annotated[Literal["select"], PYTHON_ONLY] = "select"
    k: Annotated[Count, described("Number of passages to select, 1 to 100.")] = 10
    pool: Annotated[int, described("Number of candidates to select from.", ge=1, le=2000)] = 500
    alpha: Annotated[float, described("Weight of relevance against redundancy, 0 to 1.", ge=0, le=1)] = 0.7
    form: Annotated[Form, described("Form of the objective.")] = Form.MEAN
    backend: Annotated[str, described("Method of the selection: exact, cpsat, anneal, mmr, top_k or pbit.")] = "exact"
    deadline_ms: Annotated[
        float,
        described("Time limit of the selection; device, CP-SAT and annealing need more.", gt=0, le=60_000),
    ] = 20.0
    token_budget: Annotated[
        int | None,
        described(
            "Maximum tokens of all passages together; fewer than k are selected if k do not fit.", ge=1, le=1_000_000
        ),
    ] = None
    max_per_paper: Annotated[int | None, described("Maximum passages per paper.", ge=1, le=100)] = None
    seed: Annotated[int, described("Seed of the backends that draw numbers.", ge=0, lt=2**31)] = 0

    @property
    def n_vectors(self) -> int:
        """Number of candidates to select from."""
        return self.pool

    def limited(self, k: int) -> Self:
        """Return the step with ``k`` passages, out of at least as many."""
        return self.changed(k=k, pool=max(self.pool, k))

    def check(self, plan: Plan) -> None:
        """Refuse more passages than the pool has, and an unknown back end."""
        plan.need_candidates()
        if self.k > self.pool:
            raise plan.refuse(f"k is {self.k} of a pool of {self.pool} candidates")
        if self.backend not in NAMES:
            raise plan.refuse(f"there is no back end {self.backend!r}{nearest(self.backend, NAMES)}")

    async def run(self, state: State) -> Sequence[str]:
        """Select passages; those of a query in parts cover the parts."""
        in_parts = any(one.origin == Expansion.PARTS for one in state.queries)
        of_parts = state.last_fuse if in_parts and isinstance(state.last_fuse, Fuse) else None
        vectors = await state.vectors_of_first(self.pool)
        state.candidates, state.selection = await choose(
            state.resources, state.candidates, self, vectors=vectors, of_parts=of_parts
        )
        return ()


async def choose(
    resources: Resources,
    candidates: Sequence[RankedCandidate],
    step: Select,
    *,
    vectors: Mapping[str, Singles],
    of_parts: Fuse | None = None,
) -> tuple[list[RankedCandidate], SelectionReport | None]:
    """Return the chosen candidates, best first, and the certificate, or None without candidates.

    Relevance is the score, scaled to [0, 1] over all candidates; similarity is the cosine of the current vectors. For a
    query in parts, relevance is the rank when these take turns, and passages for the same part count as similar
    (:class:`papergraph.server.retrieval.steps.select.Relevance`, coverage). If budget or cap admit fewer than k of
    the candidates
    in order, that number is chosen.

    Args:
        resources: Resources of pipelines.
        candidates: Best first.
        step: Options of the selection.
        vectors: Current vectors of the first ``step.pool`` candidates, by chunk, length 1, shape (d,).
        of_parts: Fusion of the rankings, for a query in parts.

    Raises:
        SelectionError: The back end failed, or its device is not configured.
        DatabaseError: Neo4j failed.
    """
    lengths = None
    if step.token_budget is not None:
        lengths = await lengths_of(resources, [candidate.chunk_id for candidate in candidates[: step.pool]])
    solver = backend(step.backend, device=resources.device)
    with tracing.span(f"solver {step.backend}"):
        kept, found = await asyncio.to_thread(
            choose_by, solver, candidates, step, vectors=vectors, lengths=lengths, of_parts=of_parts
        )
    if found is not None:
        _tell(step.backend, found)
    return kept, found


def choose_by(
    solver: Backend,
    candidates: Sequence[RankedCandidate],
    step: Select,
    *,
    vectors: Mapping[str, Singles],
    lengths: Mapping[str, int] | None = None,
    of_parts: Fuse | None = None,
) -> tuple[list[RankedCandidate], SelectionReport | None]:
    """Return what :func:`choose` does, of vectors and lengths in tokens that are at hand, by chunk.

    Raises:
        SelectionError: The solver cannot solve it.
    """
    near = candidates[: step.pool]
    given = [candidate for candidate in near if candidate.chunk_id in vectors]
    without = [candidate for candidate in near if candidate.chunk_id not in vectors]  # parents have no vectors
    if not given:
        return list(near[: step.k]), None
    of_given = None if lengths is None else [lengths.get(candidate.chunk_id, 0) for candidate in given]
    k = _fitting(given, of_given, step)
    if not k:
        return [], None
    own = np.array([vectors[candidate.chunk_id] for candidate in given])
    problem = _problem(given, terms(given, own, of_parts, Relevance.COVERAGE), step, k, of_given)
    if isinstance(solver, ExactBackend):
        found = select(problem, deadline_ms=step.deadline_ms, seed=step.seed)
    else:
        found = select_with(solver, problem, deadline_ms=step.deadline_ms, seed=step.seed)
    told = _told(problem, found, {candidate.chunk_id: rank for rank, candidate in enumerate(near, start=1)})
    kept = [replace(candidate, selection=told[one]) for one, candidate in enumerate(given) if one in told]
    limited = step.token_budget is not None or step.max_per_paper is not None
    return kept if limited else kept + without[: step.k - len(kept)], found


def _problem(
    given: Sequence[RankedCandidate],
    relevance_and_rows: tuple[Floats, Singles | Floats],
    step: Select,
    k: int,
    lengths: Sequence[int] | None,
) -> Problem:
    relevance, rows = relevance_and_rows
    return Problem.from_vectors(
        rows,
        relevance,
        k=k,
        alpha=step.alpha,
        form=step.form,
        ids=[candidate.chunk_id for candidate in given],
        limits=SelectionLimits(
            token_budget=step.token_budget,
            lengths=lengths,
            max_per_paper=step.max_per_paper,
            papers=[candidate.paper_id for candidate in given],
        ),
    )


async def lengths_of(resources: Resources, chunk_ids: Sequence[str]) -> dict[str, int]:
    """Return how many tokens chunks have.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await resources.database.read(cypher.gathered("retrieval/chunk_lengths"), chunk_ids=list(chunk_ids))
    return {record["chunk_id"]: record["n_tokens"] for record in records}


def _fitting(candidates: Sequence[RankedCandidate], lengths: Sequence[int] | None, step: Select) -> int:
    """Return how many of the candidates, taken in order, keep the cap and the budget, at most k."""
    of_paper: Counter[str] = Counter()
    n, left = 0, step.token_budget or 0
    for place, candidate in enumerate(candidates):
        if n == step.k:
            break
        if step.max_per_paper is not None and of_paper[candidate.paper_id] == step.max_per_paper:
            continue
        if lengths is not None:
            if lengths[place] > left:
                continue
            left -= lengths[place]
        of_paper[candidate.paper_id] += 1
        n += 1
    return n


def _told(problem: Problem, found: SelectionReport, ranks: Mapping[str, int]) -> dict[int, SelectionDetail]:
    """Return what a selection says of each candidate that it chose, by position."""
    alone = len(found.positions) == 1
    return {
        position: SelectionDetail(
            marginal=found.marginal[n],
            redundancy=found.redundancy[n],
            nearest=None if alone else str(problem.ids[found.nearest[n]]),
            nearest_similarity=found.nearest_similarity[n],
            rank_before=ranks[str(problem.ids[position])],
        )
        for n, position in enumerate(found.positions)
    }


def _tell(name: str, found: SelectionReport) -> None:
    metrics.SELECTION_SECONDS.labels(name).observe(found.ms / 1000.0)
    metrics.SELECTION_GAP.labels(name).observe(found.gap)
    metrics.SELECTIONS.labels(name, "proven" if found.proven else "open").inc()


STEP = StepKind(Select, order=9)
