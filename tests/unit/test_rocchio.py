"""Feedback by vectors: candidates near the best one rise, unless the query is a question."""

from typing import Any

import numpy as np
import pytest

from papergraph.server.retrieval.candidates import AskedQuery, Candidate, Ranking, RetrieverName
from papergraph.server.retrieval.pipelines import PipelineError, parse
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps.base import State
from papergraph.server.retrieval.steps.fuse import Fuse, fuse
from papergraph.server.retrieval.steps.rocchio import Rocchio
from papergraph.server.retrieval.steps.select import Select

QUERY = np.array([1.0, 0.0, 0.0])
VECTORS = {"best": np.array([0.8, 0.6, 0.0]), "near": np.array([0.5, 0.75**0.5, 0.0]), "far": np.array([0.6, 0.0, 0.8])}
FUSE = Fuse(by="share")


class Model:
    searched = None

    async def vector(self, query: str) -> list[float]:
        return list(QUERY)


class Vectors:
    def __init__(self, known: dict[str, Any]) -> None:
        self.known, self.n_asked = known, 0

    async def of(self, database: object, searched: object, ids: list[str]) -> dict[str, Any]:
        self.n_asked += 1
        return {id: self.known[id] for id in ids if id in self.known}


class Parts:
    database, model, device = None, Model(), None

    def __init__(self, known: dict[str, Any]) -> None:
        self.vectors = Vectors(known)


def found(text: str, known: dict[str, Any] = VECTORS) -> State:
    """Return a run in which ``far`` is nearer to the query than ``near``, which is nearer to the best."""
    cosines = {"best": 0.8, "far": 0.6, "near": 0.5}
    ranking = Ranking(0, RetrieverName.VECTOR, tuple(Candidate(id, "p", (1 + c) / 2) for id, c in cosines.items()))
    state = State(Parts(known), "own", (), text, Scope(), queries=[AskedQuery(text)], rankings=[ranking])  # type: ignore[arg-type]
    state.candidates, state.last_fuse = fuse([ranking], FUSE), FUSE
    return state


def order(state: State) -> list[str]:
    return [one.chunk_id for one in state.candidates]


async def test_what_is_near_to_the_best_rises():
    state = found("tides of the sea")
    assert order(state) == ["best", "far", "near"]
    told = state.candidates[2].retrievers

    await Rocchio(n=3, weight=0.5).run(state)

    assert order(state) == ["best", "near", "far"]
    moved = QUERY + 0.5 * VECTORS["best"]
    cosine = float(VECTORS["near"] @ moved / np.linalg.norm(moved))
    assert state.candidates[1].score == pytest.approx((1 + cosine) / 2)
    assert state.candidates[1].retrievers == told


async def test_only_the_first_are_ordered_again_and_scores_never_rise():
    state = found("tides of the sea")

    await Rocchio(n=2, weight=0.5).run(state)

    assert order(state) == ["best", "far", "near"]
    scores = [one.score for one in state.candidates]
    assert scores == sorted(scores, reverse=True)


async def test_vectors_are_read_once_for_it_and_a_selection_behind_it():
    state = found("tides of the sea")
    state.steps = Rocchio(n=2, weight=0.5), Select(k=2, pool=3)

    state.number = 1
    await state.steps[0].run(state)
    state.number = 2
    await state.steps[1].run(state)

    assert state.resources.vectors.n_asked == 1  # type: ignore[attr-defined]
    assert state.selection is not None and set(state.selection.ids) < set(VECTORS)


@pytest.mark.parametrize("text", ["What are tides?", "what are tides ? ", "潮汐是什么？"])
async def test_a_question_stays_as_it_is_without_a_look_at_vectors(text: str):
    state = found(text)

    await Rocchio().run(state)

    assert order(state) == ["best", "far", "near"] and state.resources.vectors.n_asked == 0  # type: ignore[attr-defined]


async def test_the_order_stays_where_a_passage_has_no_vector():
    state = found("tides", {"best": VECTORS["best"], "near": VECTORS["near"]})

    assert await Rocchio().run(state) == ["left out: some passages have no vector"]
    assert order(state) == ["best", "far", "near"]


@pytest.mark.parametrize("text", ["tides", "What are tides?"])
async def test_a_limit_holds_for_questions_too(text: str):
    state = found(text)

    await Rocchio(k=2).run(state)

    assert order(state) == (["best", "far"] if "?" in text else ["best", "near"])


async def test_nothing_found_stays_nothing():
    state = found("tides")
    state.candidates = []

    assert await Rocchio().run(state) == () and state.candidates == []


def test_a_place_without_vectors_is_refused():
    search = {"step": "search", "retrievers": ["fulltext"]}
    with pytest.raises(PipelineError, match="search them and fuse before it"):
        parse("mine", {"steps": [search, {"step": "fuse"}, {"step": "rocchio"}]})
