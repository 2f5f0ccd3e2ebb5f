import numpy as np
import pytest

from evaluation.bootstrap import intervals


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
