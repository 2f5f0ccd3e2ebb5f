import numpy as np
import pytest

from papergraph.server.retrieval.candidates import RankedCandidate, RetrieverName, RetrieverScore
from papergraph.server.retrieval.steps.fuse import Across, Fuse, FuseBy
from papergraph.server.retrieval.steps.select import Relevance, relevance_of, terms

TURNS = Fuse(by=FuseBy.SHARE, across=Across.INTERLEAVE)


def found(id: str, score: float, **scores: tuple[int, int, float]) -> RankedCandidate:
    """Return a candidate that full text found for queries: number, rank and score of each; 8 / number is perfect."""
    retrievers = tuple(
        RetrieverScore(RetrieverName.FULLTEXT, rank, of, query, share=of * query / 8)
        for query, rank, of in scores.values()
    )
    return RankedCandidate(id, id, score, retrievers)


TWO_PARTS = [
    found("first of one", 1.0, one=(1, 1, 8.0)),
    found("first of two", 0.5, two=(2, 1, 4.0)),
    found("second of one", 1 / 3, one=(1, 2, 6.0)),
    found("of both", 0.25, one=(1, 3, 4.0), two=(2, 2, 2.0)),
]
VECTORS = np.eye(4, dtype=np.float32)


def test_scores_are_scaled_to_one_and_nothing():
    assert relevance_of([3.0, 2.0, 1.0]).tolist() == [1.0, 0.5, 0.0]
    assert relevance_of([2.0, 2.0]).tolist() == [1.0, 1.0]
    assert relevance_of([]).tolist() == []


def test_by_score_candidates_are_what_their_vectors_are():
    relevance, rows = terms(TWO_PARTS, VECTORS, TURNS, Relevance.SCORE)

    assert relevance == pytest.approx([1.0, 1 / 3, 1 / 9, 0.0])
    assert rows is VECTORS


def test_by_coverage_those_of_one_part_are_redundant_and_turns_are_relevance():
    relevance, rows = terms(TWO_PARTS, VECTORS, TURNS, Relevance.COVERAGE)

    assert relevance == pytest.approx([1.0, 0.75, 0.5, 0.25])  # one, two, one, and what two has left
    similarity = rows @ rows.T
    assert np.diag(similarity) == pytest.approx(1.0)
    assert similarity[0, 2] == pytest.approx(0.8)
    assert similarity[0, 1] == pytest.approx(0.0)
    assert similarity[0, 3] == pytest.approx(0.8 / np.sqrt(2))  # half of the best score of each: sharpened alike


def test_feedback_raises_what_is_near_to_the_first_passages_of_its_part():
    near = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
    one_part_and_more = [
        found("first", 1.0, one=(1, 1, 8.0)),
        found("of two", 0.5, two=(2, 1, 4.0)),
        found("far", 1 / 3, one=(1, 2, 4.2)),
        found("near", 0.25, one=(1, 3, 4.0)),
    ]

    by_turns, _ = terms(one_part_and_more, near, TURNS, Relevance.COVERAGE)
    with_feedback, _ = terms(one_part_and_more, near, TURNS, Relevance.FEEDBACK)

    assert by_turns[2] > by_turns[3]
    assert with_feedback[3] > with_feedback[2]


@pytest.mark.parametrize("by", list(Relevance))
def test_one_query_has_no_parts(by):
    alone = [found("a", 0.9, one=(0, 1, 9.0)), found("b", 0.3, one=(0, 2, 3.0))]

    relevance, rows = terms(alone, VECTORS[:2], TURNS, by)

    assert relevance.tolist() == [1.0, 0.0]
    assert rows.tolist() == VECTORS[:2].tolist()
