"""What is asked: the two forms, what options mean, and what is refused with which words."""

import numpy as np
import pytest

from papergraph.server.selection.errors import InfeasibleSelectionError, SelectionError, TooFewCandidatesError
from papergraph.server.selection.problem import LARGEST_MATRIX, Form, Problem, SelectionLimits
from papergraph.server.selection.result import PROVEN
from papergraph.server.selection.solver import select

NORTH, EAST, NORTH_EAST = [0.0, 2.0], [5.0, 0.0], [1.0, 1.0]
VECTORS = [NORTH, EAST, NORTH_EAST, [0.0, 0.0]]
RELEVANCE = [0.9, 0.5, 0.8, 0.1]
HALF = 2**-0.5


def problem(**options) -> Problem:
    return Problem.from_vectors(VECTORS, RELEVANCE, **{"k": 2, **options})


def test_the_mean_form_weighs_mean_relevance_against_mean_pair_similarity():
    asked = problem(k=3, alpha=0.7)

    # pairs: north-east is 0.707 to each of the others, which are at a right angle
    assert asked.objective([0, 1, 2]) == pytest.approx(-0.7 * 2.2 / 3 + 0.3 * 2 * HALF / 3)


def test_the_pairs_form_weighs_sums():
    asked = problem(k=3, alpha=0.7, form=Form.PAIRS)

    assert asked.objective([0, 1, 2]) == pytest.approx(-0.7 * 2.2 + 0.3 * 2 * HALF)


def test_similarity_is_the_cosine_and_a_zero_vector_is_similar_to_nothing():
    expected = [[1, 0, HALF, 0], [0, 1, HALF, 0], [HALF, HALF, 1, 0], [0, 0, 0, 0]]

    assert problem().gram(np.arange(4)) == pytest.approx(np.array(expected), abs=1e-7)


@pytest.mark.parametrize("length", [1e-30, 1e-3, 1e12, 1e30])
def test_the_length_of_a_vector_does_not_matter(length):
    asked = Problem.from_vectors(length * np.array([[3.0, 4.0], [4.0, 3.0]]), [1.0, 1.0], k=2)

    assert asked.gram(np.arange(2)) == pytest.approx(np.array([[1, 0.96], [0.96, 1]]), abs=1e-6)


def test_the_caller_s_arrays_stay_as_they_are():
    vectors, similarity, relevance = np.array(VECTORS), np.diag([1.0, -2.0]), np.array(RELEVANCE)

    Problem.from_vectors(vectors, relevance, k=2)
    Problem.from_similarity(similarity, relevance[:2], k=2)

    np.testing.assert_array_equal(vectors, VECTORS)
    np.testing.assert_array_equal(similarity, np.diag([1.0, -2.0]))
    np.testing.assert_array_equal(relevance, RELEVANCE)


def test_a_matrix_that_is_not_semidefinite_is_made_so_on_its_diagonal_and_the_answer_says_how():
    similarity = np.array([[0.0, 0.9, -0.5], [0.9, 0.0, 0.3], [-0.5, 0.3, 0.0]])
    lowest = np.linalg.eigvalsh(similarity)[0]

    asked = Problem.from_similarity(similarity, [0.1, 0.2, 0.3], k=2, alpha=0.5)
    found = select(asked)

    assert lowest < 0.0
    assert asked.shift == pytest.approx(-lowest)
    assert np.linalg.eigvalsh(asked.gram(np.arange(3)))[0] >= -1e-12
    assert asked.objective([0, 1]) == pytest.approx(-0.25 * 0.3 + 0.5 * 0.9)
    assert found.diagonal_shift == asked.shift
    assert set(found.positions) == {0, 2}


def test_a_semidefinite_matrix_is_taken_as_it_is():
    assert Problem.from_similarity(np.eye(3), [1.0, 2.0, 3.0], k=1).shift == 0.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_name(bad):
    vectors, similarity, relevance = np.array(VECTORS), np.eye(4), np.array(RELEVANCE)
    vectors[1, 0] = similarity[2, 2] = relevance[3] = bad

    with pytest.raises(SelectionError, match=r"vectors has a value that is not finite") as in_vectors:
        Problem.from_vectors(vectors, RELEVANCE, k=2)
    with pytest.raises(SelectionError, match="similarity has a value that is not finite") as in_similarity:
        Problem.from_similarity(similarity, RELEVANCE, k=2)
    with pytest.raises(SelectionError, match="relevance has a value that is not finite") as in_relevance:
        Problem.from_vectors(VECTORS, relevance, k=2)

    fields = [raised.value.field for raised in (in_vectors, in_similarity, in_relevance)]
    assert fields == ["vectors", "similarity", "relevance"]


@pytest.mark.parametrize(
    ("vectors", "relevance", "field", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0], "vectors", r"shape \(n, d\), got \(2,\)"),
        (np.zeros((2, 2, 2)), [1.0, 2.0], "vectors", r"got \(2, 2, 2\)"),
        (np.zeros((2, 0)), [1.0, 2.0], "vectors", r"got \(2, 0\)"),
        (np.eye(3), [1.0, 2.0], "relevance", r"shape \(3,\), got \(2,\)"),
        (np.eye(3), [[1.0], [2.0], [3.0]], "relevance", r"got \(3, 1\)"),
        (np.eye(3), 1.0, "relevance", r"shape \(3,\)"),
    ],
)
def test_wrong_shapes_are_refused_with_the_shape(vectors, relevance, field, message):
    with pytest.raises(SelectionError, match=message) as raised:
        Problem.from_vectors(vectors, relevance, k=1)

    assert raised.value.field == field


def test_a_matrix_must_be_square_symmetric_and_not_too_large():
    too_large = np.broadcast_to(0.0, (LARGEST_MATRIX + 1, LARGEST_MATRIX + 1))  # takes no memory

    for similarity, message in (
        (np.zeros((2, 3)), r"shape \(n, n\), got \(2, 3\)"),
        ([1.0, 2.0], r"shape \(n, n\), got \(2,\)"),
        ([[1.0, 0.5], [0.4, 1.0]], "not symmetric"),
        (too_large, "at most 20000 rows, got 20001; give vectors"),
    ):
        with pytest.raises(SelectionError, match=message) as raised:
            Problem.from_similarity(similarity, [1.0, 2.0], k=1)
        assert raised.value.field == "similarity"


@pytest.mark.parametrize("k", [0, -1, 2.0, 1.5, "2", None, True, np.float64(2.0)])
def test_k_is_a_whole_number_of_at_least_one(k):
    with pytest.raises(SelectionError, match="k must be a whole number of at least 1, got") as raised:
        problem(k=k)

    assert raised.value.field == "k"


def test_a_whole_number_of_numpy_will_do_for_k():
    assert problem(k=np.int32(2)).k == 2


def test_more_than_there_are_cannot_be_selected():
    with pytest.raises(TooFewCandidatesError, match="cannot select k=5 passages from 4 candidates") as raised:
        problem(k=5)
    with pytest.raises(TooFewCandidatesError, match="k=3 passages from 2 candidates"):
        problem(k=3, limits=SelectionLimits(excluded=frozenset({0, 3})))
    with pytest.raises(TooFewCandidatesError, match="k=1 passages from 0 candidates"):
        Problem.from_vectors(np.zeros((0, 3)), [], k=1)

    assert (raised.value.k, raised.value.n, raised.value.field) == (5, 4, "k")


@pytest.mark.parametrize("alpha", [-0.01, 1.01, np.nan, np.inf])
def test_alpha_is_between_0_and_1(alpha):
    with pytest.raises(SelectionError, match=r"alpha must be in \[0, 1\], got") as raised:
        problem(alpha=alpha)

    assert raised.value.field == "alpha"


@pytest.mark.parametrize("ids", [["a", "b", "a", "c"], ["a", "b"], ["a", "b", "c", "d", "e"], [1, 2, 3, 1.0]])
def test_ids_are_as_many_as_candidates_and_none_twice(ids):
    with pytest.raises(SelectionError, match="ids must be 4 different ones") as raised:
        problem(ids=ids)

    assert raised.value.field == "ids"


def test_ids_may_be_anything_hashable():
    ids = ["p1#0", 7, ("p2", 3), frozenset({"x"})]

    found = select(problem(ids=ids))

    assert found.ids == tuple(ids[position] for position in found.positions)


def test_a_candidate_is_not_pinned_and_excluded_at_once():
    with pytest.raises(InfeasibleSelectionError, match="position 1 is pinned and excluded") as raised:
        problem(limits=SelectionLimits(pinned=frozenset({0, 1}), excluded=frozenset({1})))

    assert raised.value.field == "pinned"


@pytest.mark.parametrize("name", ["pinned", "excluded"])
@pytest.mark.parametrize("position", [-1, 4])
def test_positions_are_of_candidates(name, position):
    with pytest.raises(SelectionError, match=f"{name} has a position outside 0 to 3") as raised:
        problem(limits=SelectionLimits(**{name: frozenset({position})}))

    assert raised.value.field == name


def test_no_more_than_k_are_pinned():
    with pytest.raises(InfeasibleSelectionError, match="3 candidates are pinned, but k=2") as raised:
        problem(limits=SelectionLimits(pinned=frozenset({0, 1, 2})))

    assert raised.value.field == "pinned"


def test_a_cap_that_cannot_be_kept_is_refused_with_what_can_be():
    limits = SelectionLimits(papers=["a", "a", "a", "b"], max_per_paper=1)

    with pytest.raises(
        InfeasibleSelectionError, match="at most 1 of one paper only 2 candidates can be selected, not k=3"
    ) as raised:
        problem(k=3, limits=limits)
    with pytest.raises(InfeasibleSelectionError, match="more than 1 candidates of one paper are pinned") as pinned:
        problem(limits=SelectionLimits(papers=["a", "a", "a", "b"], max_per_paper=1, pinned=frozenset({0, 2})))

    assert (raised.value.field, pinned.value.field) == ("max_per_paper", "pinned")


def test_a_budget_that_cannot_be_kept_is_refused_with_the_shortest_that_could_be():
    lengths = [100, 10, 20, 30]

    with pytest.raises(
        InfeasibleSelectionError, match="the shortest 2 candidates have 30 tokens, the budget is 29"
    ) as raised:
        problem(limits=SelectionLimits(lengths=lengths, token_budget=29))
    with pytest.raises(InfeasibleSelectionError, match="the shortest 2 candidates have 110 tokens"):
        problem(limits=SelectionLimits(lengths=lengths, token_budget=109, pinned=frozenset({0})))
    with pytest.raises(InfeasibleSelectionError, match="the shortest 2 candidates have 40 tokens"):
        problem(limits=SelectionLimits(lengths=lengths, token_budget=39, papers=list("abbc"), max_per_paper=1))

    assert raised.value.field == "token_budget"
    assert select(problem(limits=SelectionLimits(lengths=lengths, token_budget=30))).positions == (2, 1)


@pytest.mark.parametrize(
    ("limits", "field", "message"),
    [
        (SelectionLimits(max_per_paper=1), "papers", "needs the paper of each of the 4 candidates"),
        (SelectionLimits(max_per_paper=1, papers=["a"]), "papers", "needs the paper of each"),
        (SelectionLimits(max_per_paper=0, papers=list("abcd")), "max_per_paper", "must be at least 1, got 0"),
        (SelectionLimits(token_budget=9), "lengths", "needs the length of each of the 4 candidates"),
        (SelectionLimits(token_budget=9, lengths=[1, 2]), "lengths", "needs the length of each"),
        (SelectionLimits(token_budget=9, lengths=[1, -2, 3, 4]), "lengths", "a length is negative"),
        (SelectionLimits(token_budget=-1, lengths=[0, 0, 0, 0]), "token_budget", "have 0 tokens, the budget is -1"),
    ],
)
def test_limits_come_with_what_they_are_counted_on(limits, field, message):
    with pytest.raises(SelectionError, match=message) as raised:
        problem(limits=limits)

    assert raised.value.field == field


def test_a_selection_is_feasible_when_it_keeps_everything():
    asked = problem(
        limits=SelectionLimits(
            lengths=[1, 6, 1, 9], token_budget=10, papers=list("aabb"), max_per_paper=1, excluded=frozenset({2})
        ),
        k=2,
    )
    pinned = problem(limits=SelectionLimits(pinned=frozenset({1})))

    assert problem().is_feasible([3, 0])
    assert not problem().is_feasible([0, 0])
    assert not problem().is_feasible([0, 1, 2])
    assert not problem().is_feasible([0, 4])
    assert not problem().is_feasible([0, -1])
    assert not asked.is_feasible([0, 1])  # one paper
    assert not asked.is_feasible([0, 2])  # excluded
    assert not asked.is_feasible([1, 3])  # too long
    assert asked.is_feasible([0, 3])
    assert not pinned.is_feasible([0, 2])
    assert pinned.is_feasible([0, 1])


def test_the_same_alpha_is_another_trade_off_in_the_pairs_form_the_larger_k_is():
    g = np.random.default_rng(0)
    for k in (2, 5, 10):
        vectors, relevance = g.normal(size=(14, 6)), g.uniform(size=14)
        mean = select(Problem.from_vectors(vectors, relevance, k=k, alpha=0.7))

        assert mean.alpha_pairs == pytest.approx(0.7 * (k - 1) / (0.7 * (k - 1) + 2 * 0.3))

        pairs = Problem.from_vectors(vectors, relevance, k=k, alpha=mean.alpha_pairs, form=Form.PAIRS)
        same = select(pairs)
        assert same.proven and mean.proven
        assert set(same.positions) == set(mean.positions)
        assert same.alpha_pairs == pytest.approx(mean.alpha_pairs)
        weight = 0.7 / k + 0.3 * 2 / (k * (k - 1))
        assert same.objective * weight == pytest.approx(mean.objective, abs=10 * PROVEN)


def test_a_form_may_be_named_and_must_exist():
    assert problem(form="pairs").form is Form.PAIRS
    with pytest.raises(ValueError, match="median"):
        problem(form="median")
