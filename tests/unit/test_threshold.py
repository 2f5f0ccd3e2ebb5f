"""Thresholds where another retriever searched in place of the one whose scores they are for."""

import pytest

from papergraph.server.retrieval.candidates import AskedQuery, Candidate, RankedCandidate, Ranking, RetrieverName
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps.base import State
from papergraph.server.retrieval.steps.fuse import Fuse
from papergraph.server.retrieval.steps.merge import Merge
from papergraph.server.retrieval.steps.rerank import Rerank
from papergraph.server.retrieval.steps.search import Search
from papergraph.server.retrieval.steps.threshold import Threshold

FOUND = [RankedCandidate("near", "paper", 0.9), RankedCandidate("far", "paper", 0.3)]


async def kept(steps, retriever):
    """The chunks that a threshold leaves as the last of several steps, and the warnings."""
    ranking = Ranking(0, retriever, tuple(Candidate(one.chunk_id, one.paper_id, one.score) for one in FOUND))
    state = State(None, "own", steps, "tides", Scope(), number=len(steps))
    state.queries, state.rankings, state.candidates = [AskedQuery("tides", "user")], [ranking], list(FOUND)
    await steps[-1].run(state)
    return [one.chunk_id for one in state.candidates], state.warnings


@pytest.mark.parametrize(
    ("asked", "found", "is_left_out"),
    [
        ("vector", "fulltext", True),
        ("fulltext", "vector", True),
        ("question", "vector", False),
        ("name", "fulltext", False),
    ],
)
async def test_it_is_left_out_if_the_scores_are_of_another_range(asked, found, is_left_out):
    steps = [Search(retrievers=(asked,)), Merge(by="parents"), Threshold(above=0.5)]

    chunks, warnings = await kept(steps, RetrieverName(found))

    assert chunks == (["near", "far"] if is_left_out else ["near"])
    told = f"step 3, threshold, was left out: it is not for scores of {found}"
    assert warnings == ([told] if is_left_out else [])


@pytest.mark.parametrize("step", [Fuse(), Rerank()])
async def test_it_stays_where_a_step_between_gives_scores_of_its_own(step):
    steps = [Search(retrievers=("vector",)), step, Threshold(above=0.5)]

    assert await kept(steps, RetrieverName.FULLTEXT) == (["near"], [])
