import numpy as np
import pytest

from papergraph.evaluation.statistics import intervals


def test_the_interval_of_a_mean_is_about_two_standard_errors_on_each_side():
    figures = np.random.default_rng(1).normal(0.6, 0.2, size=400)

    means, _ = intervals({"only": figures})

    standard_error = figures.std() / 20
    assert means["only"].mean == pytest.approx(figures.mean())
    assert means["only"].low == pytest.approx(figures.mean() - 1.96 * standard_error, abs=0.1 * standard_error)
    assert means["only"].high == pytest.approx(figures.mean() + 1.96 * standard_error, abs=0.1 * standard_error)


def test_queries_are_paired_so_a_constant_gain_has_no_width():
    hard_and_easy = np.random.default_rng(2).uniform(0, 0.9, size=50)

    means, differences = intervals({"first": hard_and_easy, "second": hard_and_easy + 0.1})

    assert means["second"].high - means["second"].low > 0.05
    assert [differences["second"].mean, differences["second"].low, differences["second"].high] == pytest.approx(
        [0.1] * 3
    )
    assert "first" not in differences


def test_a_difference_that_may_be_none_has_zero_inside():
    _, differences = intervals({"first": [0, 1, 0, 1, 1, 0], "second": [1, 0, 0, 1, 1, 0]})

    assert differences["second"].low < 0 < differences["second"].high


def test_the_same_figures_give_the_same_interval():
    figures = {"first": [0.1, 0.5, 0.9], "second": [0.2, 0.4, 1.0]}

    assert intervals(figures) == intervals(figures)


def test_one_query_has_an_interval_without_width():
    means, _ = intervals({"only": [0.25]})

    assert (means["only"].low, means["only"].high) == (0.25, 0.25)


def test_queries_that_each_have_a_topic_of_their_own_are_resampled_as_queries():
    figures = {"first": [0.1, 0.5, 0.9, 0.3], "second": [0.2, 0.4, 1.0, 0.3]}

    by_query, by_topic = intervals(figures), intervals(figures, topics=[["a"], ["b"], ["c"], ["d"]])

    for over_queries, over_topics in zip(by_query, by_topic, strict=True):
        for name, interval in over_queries.items():
            other = over_topics[name]
            assert (other.low, other.high) == pytest.approx((interval.low, interval.high))


def test_queries_that_say_the_same_again_make_nothing_surer():
    figures = np.random.default_rng(3).uniform(size=30)

    once, _ = intervals({"only": figures})
    again, _ = intervals({"only": np.repeat(figures, 4)}, topics=[[n] for n in range(30) for _ in range(4)])

    assert (again["only"].low, again["only"].high) == pytest.approx((once["only"].low, once["only"].high))


def test_what_topics_share_counts_as_much_as_it_did_for_each_topic():
    effects = np.random.default_rng(4).normal(size=40)
    pairs = [(n, (n + step) % 40) for n in range(40) for step in (1, 2, 3)]

    means, _ = intervals({"only": [effects[a] + effects[b] for a, b in pairs]}, topics=pairs)

    standard_error = 2 * effects.std() / np.sqrt(40)  # of a sum over two of 40 topics
    assert means["only"].high - means["only"].low == pytest.approx(2 * 1.96 * standard_error, rel=0.1)
