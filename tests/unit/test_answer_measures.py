"""Measures of answers that ask no model, on texts and verdicts small enough to check by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from papergraph.evaluation.answers.answer_scores import (
    answer_correctness,
    answer_relevancy,
    bert_score,
    context_precision,
    cosines,
    evidence_rouge_l,
    exact_match,
    factual_f1,
    match_accuracy,
    normalised,
    rouge_l,
    share,
    token_f1,
)

WORDS = st.lists(st.sampled_from(["the", "Code", "needs", "97", "qubits,", "naïve", "π", "-"]), max_size=12).map(
    " ".join
)
VERDICTS = st.lists(st.booleans(), max_size=12)


class TestRougeL:
    def test_is_f_over_the_longest_common_subsequence(self):
        # «police the gunman», 3 words of 4 and 4, and «the gunman», 2 of them: the example of Lin 2004, section 3
        assert rouge_l("police kill the gunman", "police killed the gunman") == pytest.approx(0.75)
        assert rouge_l("the gunman kill police", "police killed the gunman") == pytest.approx(0.5)
        assert rouge_l("", "police") == rouge_l("π", "π") == 0.0

    @given(WORDS | st.text(max_size=40), WORDS)
    def test_is_what_googles_package_gives(self, candidate, reference):
        expected = RougeScorer(["rougeL"]).score(reference, candidate)["rougeL"].fmeasure

        assert rouge_l(candidate, reference) == pytest.approx(expected)

    def test_of_evidence_is_the_mean_over_what_is_shown_of_the_best_with_what_is_right(self):
        gold = ["a patch uses 97 qubits", "tabu search forbids moves"]

        assert evidence_rouge_l(["a patch uses 97 qubits"], gold) == 1.0
        assert evidence_rouge_l(["a patch uses 97 qubits", "bread is baked"], gold) == 0.5
        assert evidence_rouge_l([], gold) == 0.0
        assert evidence_rouge_l(["a patch uses 97 qubits"], []) is None


class TestWordsInCommon:
    def test_normal_form_has_no_articles_no_punctuation_and_single_blanks(self):
        assert normalised("The  Surface-code, an idea!") == "surfacecode idea"

    def test_f1_counts_words_as_often_as_they_stand_in_both(self):
        assert token_f1("tabu tabu search", ["Tabu search is old."]) == pytest.approx(2 * 2 / (3 + 4))
        assert token_f1("tabu", ["annealing"]) == 0.0

    def test_f1_is_that_with_the_best_reference_and_of_nothing_and_nothing_it_is_1(self):
        assert token_f1("Stanley Hall", ["G. Stanley Hall", "Stanley Hall"]) == 1.0
        assert token_f1("the", ["a"]) == 1.0
        assert token_f1("the", ["some"]) == 0.0

    def test_exact_match_looks_through_case_articles_and_punctuation_alone(self):
        assert exact_match("The Surface Code.", ["surface code"]) == 1.0
        assert exact_match("surface codes", ["surface code"]) == 0.0

    @pytest.mark.parametrize(
        ("answer", "reference", "is_right"),
        [
            ("The patch uses 97 physical qubits [1].", "97 qubits", False),
            ("The patch uses 97 qubits [1].", "97 qubits", True),
            ("It uses 970 qubits.", "97", False),
            ("Yes, they do.", "Yes", True),
            ("They say yes to that.", "Yes", False),
            ("There is no need.", "No", False),
            ("Anything", "the", False),
        ],
    )
    def test_accuracy_by_match_wants_the_reference_word_by_word(self, answer, reference, is_right):
        assert match_accuracy(answer, [reference]) == float(is_right)

    @given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
    def test_all_lie_between_0_and_1_and_equality_is_at_most_f1(self, answer, references):
        f1 = token_f1(answer, references)

        assert 0.0 <= exact_match(answer, references) <= f1 <= 1.0
        assert 0.0 <= rouge_l(answer, references[0]) <= 1.0
        assert match_accuracy(answer, references) in (0.0, 1.0)


class TestVerdicts:
    def test_a_share_of_nothing_is_not_defined(self):
        assert share([True, False, True, True]) == 0.75
        assert share([]) is None

    def test_context_precision_falls_when_useful_passages_stand_behind_others(self):
        assert context_precision([True, True, False]) == 1.0
        assert context_precision([False, True, True]) == pytest.approx((1 / 2 + 2 / 3) / 2)
        assert context_precision([False, False]) == 0.0
        assert context_precision([]) is None

    def test_relevancy_is_a_mean_and_nothing_for_an_answer_that_avoids_the_question(self):
        assert answer_relevancy([1.0, 0.5], is_noncommittal=False) == 0.75
        assert answer_relevancy([1.0, 0.5], is_noncommittal=True) == 0.0
        assert answer_relevancy([], is_noncommittal=False) is None

    def test_correctness_weighs_facts_three_times_as_much_as_nearness(self):
        facts = factual_f1(true_positives=2, false_positives=1, false_negatives=1)

        assert facts == pytest.approx(2 / 3)
        assert factual_f1(true_positives=0, false_positives=0, false_negatives=0) is None
        assert answer_correctness(2 / 3, 0.8) == pytest.approx(0.5 + 0.2)

    @given(VERDICTS)
    def test_what_is_defined_lies_between_0_and_1(self, verdicts):
        for score in (share(verdicts), context_precision(verdicts)):
            assert (score is None) == (not verdicts)
            assert score is None or 0.0 <= score <= 1.0

    @given(VERDICTS)
    def test_a_useful_passage_in_front_of_all_never_lowers_context_precision(self, verdicts):
        assert context_precision([True, *verdicts]) >= (context_precision(verdicts) or 0.0)

    @given(*[st.integers(0, 9)] * 3, st.floats(-1, 1))
    def test_facts_and_correctness_keep_their_range(self, tp, fp, fn, cosine):
        facts = factual_f1(true_positives=tp, false_positives=fp, false_negatives=fn)

        assert facts is None or 0.0 <= facts <= 1.0
        assert -0.25 <= answer_correctness(facts or 0.0, cosine) <= 1.0


class TestMeaning:
    def test_each_token_is_matched_with_the_one_nearest_to_it(self):
        # cosines: first token 1 and 0, second .6 and .8; so P = (1 + .8) / 2, R = (1 + .8) / 2 without the third token
        candidate = np.array([[1, 0, 0], [0.6, 0.8, 0]], np.float32)
        reference = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)

        score = bert_score(candidate, reference)

        assert (score.precision, score.recall) == (pytest.approx(0.9), pytest.approx(0.6))
        assert score.f1 == pytest.approx(2 * 0.9 * 0.6 / 1.5)

    def test_a_text_without_tokens_matches_nothing(self):
        score = bert_score(np.zeros((0, 3), np.float32), np.eye(3, dtype=np.float32))

        assert (score.precision, score.recall, score.f1) == (0.0, 0.0, 0.0)

    def test_tokens_of_the_local_model_have_length_1_and_no_special_ones_among_them(self, embedder):
        long = "A patch of distance seven uses ninety-seven physical qubits. " * 40
        short, empty, many = embedder.encode_tokens(["A cat sat.", "", long])

        assert (short.shape, empty.shape) == ((4, 384), (0, 384))  # a, cat, sat, stop
        assert len(many) == len(embedder.tokenizer.encode(long, add_special_tokens=False).ids) > 256
        assert np.linalg.norm(short, axis=1) == pytest.approx(1.0, abs=1e-5)

    def test_what_says_the_same_is_nearer_than_what_does_not(self, embedder):
        asked, same, other = embedder.encode_tokens(
            ["The code needs 97 qubits.", "97 qubits are needed by the code.", "Bread is baked in an oven."]
        )

        assert bert_score(asked, asked).f1 == pytest.approx(1.0, abs=1e-4)
        assert bert_score(same, asked).f1 > bert_score(other, asked).f1 + 0.2
        near, far = cosines(embedder, "The code needs 97 qubits.", ["97 qubits are needed.", "Bread is baked."])
        assert near > far
