import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.server.answers.answerability import LEAST, answerability_of, probability
from papergraph.server.answers.extractive import Evidence, Weighed
from papergraph.server.answers.sentences import Sentence


def weighed(score, cosine):
    return Weighed(Sentence(0, 0, 1, "x"), 0.5, cosine, score)


def test_support_is_that_of_the_best_sentence_with_the_nearest_one_beside_it():
    found = answerability_of(Evidence((weighed(0.6, 0.4), weighed(0.5, 0.7), weighed(0.0, None)), (), 0.9, 0.2))

    assert found.probability == probability(0.6)
    assert (found.score, found.coverage, found.sentence, found.unknown) == (0.6, 0.9, 0.7, 0.2)


def test_passages_without_a_sentence_support_nothing():
    found = answerability_of(Evidence((), (), 0.0, 1.0))

    assert (found.probability, found.score, found.sentence) == (0.0, 0.0, -1.0)
    assert found.probability < LEAST


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_better_sentence_never_makes_an_answer_less_likely(first, second):
    low, high = sorted((first, second))

    assert 0.0 <= probability(low) <= probability(high) <= 1.0


def test_a_sentence_near_by_meaning_alone_is_not_enough_and_one_with_the_words_too_is():
    """As for the thresholds: a cosine of .8 without one word of the question, against .6 with nearly all."""
    assert probability(0.8 / 2.3) < LEAST < probability((0.6 + 0.9 * 1.3) / 2.3)


def test_the_threshold_is_where_the_decision_page_says():
    assert pytest.approx(0.424, abs=0.02) == next(s / 1000 for s in range(1001) if probability(s / 1000) >= LEAST)
