"""Sweeps over candidates made by hand: what each way selects, what that is worth, and what is compared with what."""

import math
from decimal import Decimal

import numpy as np
import pytest

from papergraph.errors import InputError
from papergraph.evaluation.queries import Evidence, Judged, Query, Span, Subtopics
from papergraph.evaluation.retrieval.rankings import Pool, Ranking
from papergraph.evaluation.selection_sweep import Grid, Sweep, Way, sweep
from papergraph.evaluation.task import Task
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.steps.select import Relevance

GOLD = Subtopics({"0": frozenset(["one", "again"]), "1": frozenset(["other"])})
NEAR = math.sqrt(1 - 0.98**2)
VECTORS = np.array([[1, 0, 0], [0.98, NEAR, 0], [0, 0, 1], [0, 1, 0]], dtype=np.float32)
SCORES = (0.90, 0.89, 0.70, 0.10)
"""Two passages that say nearly the same, one of another topic, and one of none."""


def task(*queries: Query) -> Task:
    return Task("by hand", "test", None, (), (), queries, "document", (), {}, ())


def pool(query: Query, documents=(("one",), ("again",), ("other",), ("none",)), scores=SCORES) -> Pool:
    candidates = tuple(RankedCandidate(ids[0], ids[0], score) for ids, score in zip(documents, scores, strict=True))
    return Pool(query, candidates, tuple(documents), VECTORS[: len(documents)])


def swept(grid: Grid, *queries: Query, references=None, tune=None) -> Sweep:
    return sweep(task(*queries), {"found": [pool(query) for query in queries]}, references or {}, grid, tune=tune)


def test_each_way_selects_from_the_same_candidates_and_is_measured_by_hand():
    found = swept(Grid(alphas=(0.5,), ks=(2,), pools=(4,), deadline_ms=5000), Query("q", "text", GOLD))

    plain, own, mmr = found.rows
    scaled = [(score - 0.10) / 0.80 for score in SCORES]
    assert [row.name for row in found.rows] == ["top_k of 4", "exact 0.5 of 4", "mmr 0.5 of 4"]
    assert plain.relevance == pytest.approx((scaled[0] + scaled[1]) / 2)
    assert plain.similarity == pytest.approx(0.98, abs=1e-6)
    assert own.relevance == pytest.approx((scaled[0] + scaled[2]) / 2)
    assert own.similarity == pytest.approx(0.0, abs=1e-6)
    assert (own.gap, own.proven) == (0.0, 1.0)
    of_plain = {name: interval.mean for name, interval in plain.measures.items()}
    assert of_plain["subtopic-recall@2"] == 0.5
    ideal = 1 + 1 / math.log2(3)
    assert of_plain["alpha-nDCG@2"] == pytest.approx((1 + 0.5 / math.log2(3)) / ideal)
    assert of_plain["ERR-IA@2"] == pytest.approx((1 + 0.5 / 2) / 2 / (1 + 0.5 / 2))  # over subtopics, of the most
    assert of_plain["nDCG@2"] == 1.0
    for row in (own, mmr):
        assert row.measures["subtopic-recall@2"].mean == row.measures["alpha-nDCG@2"].mean == pytest.approx(1.0)


def test_the_chosen_row_is_compared_with_top_k_with_mmr_and_with_pipelines():
    query = Query("q", "text", GOLD)
    reference = {"q": Ranking(("none", "again"), (), 1.0)}

    found = swept(Grid(alphas=(0.5,), ks=(2,), pools=(4,)), query, references={"hybrid": reference})

    recall = {one.second: one for one in found.comparisons if one.measure == "subtopic-recall@2"}
    assert [row.name for row in found.settled] == ["exact 0.5 of 4"]
    assert {name: one.difference.mean for name, one in recall.items()} == {
        "mmr 0.5 of 4": 0.0,
        "top_k of 4": 0.5,
        "pipeline hybrid": 0.5,
    }
    assert recall["top_k of 4"].ahead
    assert not recall["mmr 0.5 of 4"].ahead
    assert "top_k of 4" in found.report().as_text()


def test_settings_are_chosen_on_some_queries_and_reported_on_the_others():
    once = Subtopics({"0": frozenset(["one"]), "1": frozenset(["again"])})  # the near-duplicates are two topics
    grid = Grid(alphas=(0.5, 1.0), ks=(2,), pools=(4,))

    found = swept(grid, Query("c1", "text", once), Query("d1", "text", GOLD), tune="c*")

    (settled,) = found.settled
    assert settled.way == Way("exact", 1.0, 4)
    assert (found.queries, found.tuned_on, settled.tuning["subtopic-recall@2"]) == (1, 1, 1.0)
    assert settled.measures["subtopic-recall@2"].mean == 0.5


def test_mmr_stands_where_it_is_best_on_the_very_queries_that_are_reported():
    found = swept(Grid(alphas=(0.5, 1.0), ks=(2,), pools=(4,)), Query("q", "text", GOLD))

    second = {one.second for one in found.comparisons if one.measure == "alpha-nDCG@2" and "mmr" in one.second}
    assert second == {"mmr 0.5 of 4"}


def test_a_way_chosen_elsewhere_is_reported():
    way = Way("exact", 1.0, 4)

    found = swept(Grid(alphas=(0.5, 1.0), ks=(2,), pools=(4,), settled=way), Query("q", "text", GOLD))

    assert [row.way for row in found.settled] == [way]


def test_documents_that_say_the_same_come_together_and_no_more_than_k_are_given():
    query = Query("q", "text", Judged({"twin": Decimal(1)}, frozenset(["twin"])))
    twins = pool(query, documents=(("one", "twin"), ("again",)), scores=(0.9, 0.1))

    found = sweep(task(query), {"found": [twins]}, {}, Grid(alphas=(1.0,), ks=(1, 2), backends=("exact",), pools=(2,)))

    assert {(row.k, row.name): row.measures[f"nDCG@{row.k}"].mean for row in found.rows} == {
        (1, "top_k of 2"): 0.0,
        (1, "exact 1 of 2"): 0.0,
        (2, "top_k of 2"): pytest.approx(1 / math.log2(3)),
        (2, "exact 1 of 2"): pytest.approx(1 / math.log2(3)),
    }


def test_a_query_for_which_nothing_is_found_counts_as_nothing():
    queries = [Query("found", "text", GOLD), Query("lost", "text", GOLD)]
    empty = Pool(queries[1], (), (), np.zeros((0, 3), np.float32))

    found = sweep(task(*queries), {"found": [pool(queries[0]), empty]}, {}, Grid(alphas=(0.5,), ks=(2,), pools=(4,)))

    assert found.rows[1].measures["subtopic-recall@2"].mean == 0.5


def test_the_gap_is_followed_over_time_and_json_holds_all_of_it():
    found = swept(Grid(alphas=(0.5,), ks=(2,), pools=(4,)), Query("q", "text", GOLD))

    assert [one.deadline_ms for one in found.gaps if one.way.backend == "exact"] == sorted(
        {one.deadline_ms for one in found.gaps}
    )
    assert found.gaps[-1].way.backend == "mmr"
    written = found.as_json()
    assert written["rows"][1]["way"] == {"backend": "exact", "alpha": 0.5, "pool": 4, "by": "score"}
    assert written["rows"][1]["measures"]["subtopic-recall@2"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert written["settled"] == [{"candidates": "found", "k": 2, "row": "exact 0.5 of 4"}]
    assert [one["gap"] for one in written["gapAgainstTime"] if one["deadline_ms"] == 1000.0] == [0.0]


def test_graded_queries_are_measured_by_ndcg_alone():
    query = Query("q", "text", Judged({"one": Decimal(1)}, frozenset(["one"])))

    found = swept(Grid(alphas=(0.5,), ks=(2,), pools=(4,)), query)

    assert list(found.rows[0].measures) == ["nDCG@2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": (1.5,)}, "alpha must be in"),
        ({"alphas": ()}, "1 to 20 different values of alpha"),
        ({"alphas": (0.5, 0.5)}, "different values of alpha"),
        ({"ks": (0,)}, "k must be 1 to 100"),
        ({"pools": (5000,)}, "pool must be 1 to 2000"),
        ({"ks": (20,), "pools": (10,)}, "k is 20 of a pool of 10"),
        ({"backends": ("magic",)}, "no back end 'magic', only exact"),
    ],
)
def test_a_grid_that_cannot_be_swept_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        Grid(**options)


def test_lists_with_commas_are_read_or_refused():
    lists = {"alpha": "0.5, 1", "k": "5,10", "backend": "exact, mmr", "pool": "50", "relevance": "score,coverage"}

    read = Grid.parsed(**lists)

    kinds = (Relevance.SCORE, Relevance.COVERAGE)
    assert read == Grid(alphas=(0.5, 1.0), ks=(5, 10), backends=("exact", "mmr"), pools=(50,), relevances=kinds)
    with pytest.raises(InputError, match="k takes whole numbers with commas between, not '5,ten'"):
        Grid.parsed(**lists | {"k": "5,ten"})
    with pytest.raises(InputError, match="there are score, coverage, feedback"):
        Grid.parsed(**lists | {"relevance": "luck"})


@pytest.mark.parametrize(("tune", "message"), [("x*", "no query matches"), ("*", "every query matches")])
def test_what_is_tuned_on_is_some_of_the_queries_but_not_all(tune, message):
    with pytest.raises(InputError, match=message):
        swept(Grid(ks=(2,), pools=(4,)), Query("c1", "text", GOLD), Query("d1", "text", GOLD), tune=tune)


def test_evidence_is_not_swept():
    with pytest.raises(InputError, match="a sweep selects documents"):
        swept(Grid(ks=(2,), pools=(4,)), Query("q", "text", Evidence((Span("one", 0, 5),))))
