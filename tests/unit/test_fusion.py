import pytest

from server.retrieval.fusion import reciprocal_rank_fusion


def test_a_score_is_the_sum_of_the_inverse_ranks_behind_the_constant():
    scores = reciprocal_rank_fusion({"vector": ["a", "b"], "fulltext": ["b", "c"]}, constant=1)

    assert scores == pytest.approx({"b": 1 / 3 + 1 / 2, "a": 1 / 2, "c": 1 / 3})
    assert list(scores) == ["b", "a", "c"]


def test_the_constant_is_sixty_as_in_the_source():
    assert reciprocal_rank_fusion({"vector": ["a", "b"]}) == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def test_two_middling_ranks_beat_one_first_rank():
    vector, fulltext = ["first", "x", "both"], ["other", "y", "both"]

    assert next(iter(reciprocal_rank_fusion({"vector": vector, "fulltext": fulltext}))) == "both"  # 2/63 > 1/61


def test_of_equal_scores_what_the_first_leg_ranks_higher_comes_first():
    one, other = {"vector": ["b", "d"], "fulltext": ["a", "c"]}, {"fulltext": ["a", "c"], "vector": ["b", "d"]}

    assert list(reciprocal_rank_fusion(one)) == ["b", "a", "d", "c"]
    assert list(reciprocal_rank_fusion(other)) == ["a", "b", "c", "d"]


def test_mirrored_rankings_are_a_tie_that_does_not_depend_on_ids():
    scores = reciprocal_rank_fusion({"vector": ["b", "x", "a"], "fulltext": ["a", "x", "b"]})

    assert scores["a"] == scores["b"]
    assert list(scores) == ["b", "a", "x"]


def test_a_single_leg_keeps_its_order():
    ranking = ["z", "y", "x", "a"]

    assert ranking == list(reciprocal_rank_fusion({"vector": ranking, "fulltext": []}))


@pytest.mark.parametrize("rankings", [{}, {"vector": []}, {"vector": [], "fulltext": []}])
def test_no_hits_fuse_to_none(rankings):
    assert reciprocal_rank_fusion(rankings) == {}
