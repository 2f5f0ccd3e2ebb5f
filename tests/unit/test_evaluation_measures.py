"""Measures by hand, and against ir-measures on random data."""

import math
from decimal import Decimal

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, Qrel, R, ScoredDoc, Success, nDCG

from papergraph.evaluation.measures import evidence_figures, figures, parse_measure
from papergraph.evaluation.queries import Evidence, Gold, Judged, Query, Span, Subtopics


def judged(**gains: str | int) -> Judged:
    exact = {doc: Decimal(gain) for doc, gain in gains.items()}
    return Judged(exact, frozenset(doc for doc, gain in exact.items() if gain >= 1))


def figure(name: str, gold: Gold, ranking: str, *, within: tuple[str, ...] | None = None) -> float:
    measure = parse_measure(name)
    assert measure is not None
    return figures(measure, [Query("q", "text", gold, within)], {"q": list(ranking)})["q"]


def dcg(*gains: float) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


class TestNames:
    @pytest.mark.parametrize(
        ("name", "k", "percent"),
        [("nDCG@10", 10, None), ("nDCG%20", None, 20), ("alpha-nDCG@5", 5, None), ("subtopic-recall@10", 10, None)],
    )
    def test_a_name_has_a_cut_off(self, name, k, percent):
        measure = parse_measure(name)

        assert measure is not None
        assert (measure.name, measure.k, measure.percent) == (name, k, percent)

    @pytest.mark.parametrize("name", ["nDCG", "nDCG@0", "ndcg@10", "recall@", "nDCG%0", "nDCG%101", "MAP@5", ""])
    def test_what_is_none_is_refused_with_those_that_are(self, name):
        with pytest.raises(ValueError, match=r"known are nDCG@k, recall@k, .*ROUGE-L"):
            parse_measure(name)

    def test_measures_of_answers_are_known_but_are_none_of_rankings(self):
        assert parse_measure("ROUGE-L") is None
        assert parse_measure("F1") is None


class TestByHand:
    def test_ndcg_takes_grades_as_gains(self):
        assert figure("nDCG@3", judged(a=3, b=1, c=0), "bca") == pytest.approx(dcg(1, 0, 3) / dcg(3, 1))

    def test_ndcg_takes_fractions_as_they_are(self):
        gold = judged(a="0.5", b="0.8667", c="0.0")

        assert figure("nDCG@3", gold, "acb") == pytest.approx(dcg(0.5, 0, 0.8667) / dcg(0.8667, 0.5))

    def test_ndcg_is_cut_off(self):
        assert figure("nDCG@1", judged(a=1, b=1), "xab") == 0.0

    @pytest.mark.parametrize(("n_pool", "k"), [(4, 1), (5, 1), (9, 1), (10, 2)])
    def test_a_percentage_of_the_pool_is_rounded_down_and_at_least_one(self, n_pool, k):
        pool = tuple("abcdefghij"[:n_pool])

        found = figure("nDCG%20", judged(b=1), "".join(pool), within=pool)

        assert found == pytest.approx(dcg(0, 1) if k == 2 else 0.0)

    def test_recall_is_the_share_of_the_relevant_ones(self):
        assert figure("recall@2", judged(a=1, b=1, c=1, d=0), "adbc") == pytest.approx(1 / 3)

    def test_mrr_is_the_inverse_rank_of_the_first_relevant_one(self):
        assert figure("MRR@3", judged(a=1, b=2), "xyab") == pytest.approx(1 / 3)
        assert figure("MRR@2", judged(a=1, b=2), "xyab") == 0.0

    def test_perfect_wants_all_of_them(self):
        assert figure("perfect@3", judged(a=1, b=1), "xab") == 1.0
        assert figure("perfect@2", judged(a=1, b=1), "xab") == 0.0

    def test_a_hit_is_any_of_them(self):
        assert figure("hit@2", judged(a=1, b=1), "xab") == 1.0
        assert figure("hit@1", judged(a=1, b=1), "xab") == 0.0

    def test_subtopic_recall_is_the_share_of_subtopics_met(self):
        gold = Subtopics({"0": frozenset("ab"), "1": frozenset("c"), "2": frozenset("d")})

        assert figure("subtopic-recall@3", gold, "abcd") == pytest.approx(2 / 3)

    def test_alpha_ndcg_halves_the_gain_of_a_subtopic_that_was_met(self):
        gold = Subtopics({"0": frozenset("ab"), "1": frozenset("c")})
        best = dcg(1, 1, 0.5)  # a, c, b

        assert figure("alpha-nDCG@3", gold, "acb") == pytest.approx(1.0)
        assert figure("alpha-nDCG@3", gold, "abc") == pytest.approx(dcg(1, 0.5, 1) / best)

    def test_err_ia_halves_it_too_and_divides_by_the_rank_of_the_most_that_could_be(self):
        gold = Subtopics({"0": frozenset("ab"), "1": frozenset("c")})
        most = 1 + 0.5 / 2 + 0.25 / 3  # every subtopic at every rank

        assert figure("ERR-IA@2", gold, "xa") == pytest.approx((1 / 2) / 2 / (1 + 0.5 / 2))
        assert figure("ERR-IA@3", gold, "abc") == pytest.approx((1 + 0.5 / 2 + 1 / 3) / 2 / most)

    def test_measures_without_subtopics_take_what_is_relevant_to_any(self):
        gold = Subtopics({"0": frozenset("ab"), "1": frozenset("c")})

        assert figure("recall@2", gold, "ac") == pytest.approx(2 / 3)

    def test_measures_of_subtopics_want_some(self):
        with pytest.raises(ValueError, match="alpha-nDCG@10 needs subtopics"):
            figure("alpha-nDCG@10", judged(a=1), "a")

    @pytest.mark.parametrize("name", ["nDCG@10", "recall@10", "MRR@10", "perfect@10", "hit@10"])
    def test_an_empty_ranking_is_worth_nothing(self, name):
        assert figure(name, judged(a=1), "") == 0.0

    def test_a_query_without_an_answer_counts_beside_one_with(self):
        measure = parse_measure("recall@1")
        assert measure is not None
        queries = [Query(id, "text", judged(a=1)) for id in ("one", "two")]

        assert figures(measure, queries, {"two": ["a"]}) == {"one": 0.0, "two": 1.0}

    def test_order_decides_and_not_the_identifiers(self):
        assert figure("MRR@2", judged(a=1), "za") == figure("MRR@2", judged(z=1), "az") == 0.5


class TestEvidence:
    @staticmethod
    def figure(name: str, *covered: bool) -> float:
        measure = parse_measure(name)
        assert measure is not None
        return evidence_figures(measure, [Query("q", "text", Evidence((Span("a", 0, 9),)))], {"q": covered})["q"]

    @pytest.mark.parametrize(
        ("name", "covered", "expected"),
        [
            ("hit@2", (False, True), 1.0),
            ("hit@1", (False, True), 0.0),
            ("hit@5", (), 0.0),
            ("MRR@3", (False, False, True), 1 / 3),
            ("MRR@2", (False, False, True), 0.0),
        ],
    )
    def test_what_counts_is_the_first_chunk_that_covers_it(self, name, covered, expected):
        assert self.figure(name, *covered) == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("name", "expected"), [("evidence@99w", 0.0), ("evidence@100w", 1.0), ("evidence@500w", 1.0)]
    )
    def test_a_budget_of_words_counts_all_chunks_up_to_the_one_that_covers_it(self, name, expected):
        measure = parse_measure(name)
        assert measure is not None
        query = Query("q", "text", Evidence((Span("a", 0, 9),)))

        assert evidence_figures(measure, [query], {"q": (False, True)}, {"q": (60, 40)}) == {"q": expected}
        assert evidence_figures(measure, [query], {"q": (False,)}, {"q": (60,)}) == {"q": 0.0}
        assert evidence_figures(measure, [query], {}, {}) == {"q": 0.0}

    @pytest.mark.parametrize("name", ["evidence@10", "hit@10w", "evidence@0w", "evidence%10"])
    def test_only_evidence_has_a_budget_of_words(self, name):
        with pytest.raises(ValueError, match="evidence@1000w"):
            parse_measure(name)

    def test_a_ranking_is_asked_for_deep_enough_to_fill_a_budget(self):
        measure = parse_measure("evidence@2000w")
        assert measure is not None
        assert measure.cutoff(Query("q", "text", Evidence(()))) == 80
        with pytest.raises(ValueError, match="needs evidence"):
            figure("evidence@500w", judged(a=1), "a")

    def test_grades_have_no_meaning_there(self):
        with pytest.raises(ValueError, match="nDCG@10 is not defined for evidence"):
            self.figure("nDCG@10", True)


@pytest.mark.parametrize(
    ("name", "reference"), [("nDCG@10", nDCG @ 10), ("recall@5", R @ 5), ("MRR@10", RR @ 10), ("hit@3", Success @ 3)]
)
def test_figures_are_those_of_ir_measures(name, reference):
    generator = np.random.default_rng(11)
    docs = [f"d{n}" for n in range(40)]
    grades = [dict(zip(docs, map(int, generator.choice([0, 0, 1, 2, 3], size=40)), strict=True)) for _ in range(30)]
    queries = [Query(f"q{n}", "text", judged(**of_query)) for n, of_query in enumerate(grades)]
    rankings = {query.id: list(map(str, generator.permutation(docs)[:20])) for query in queries}
    measure = parse_measure(name)
    assert measure is not None

    found = figures(measure, queries, rankings)

    qrels = [Qrel(f"q{n}", doc, grade) for n, of_query in enumerate(grades) for doc, grade in of_query.items()]
    run = [ScoredDoc(id, doc, -rank) for id, ranking in rankings.items() for rank, doc in enumerate(ranking)]
    expected = {metric.query_id: metric.value for metric in ir_measures.iter_calc([reference], qrels, run)}
    assert found == pytest.approx(expected)
    assert len(set(found.values())) > 1
