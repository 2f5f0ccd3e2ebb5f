from dataclasses import replace

import pytest

from papergraph.server.retrieval.candidates import Candidate, Ranking, RetrieverName, Scale, Via
from papergraph.server.retrieval.steps.fuse import Across, Fuse, FuseBy, fuse, take_turns


def ranking(retriever: str, ids: str, *scores: float, query: int = 0) -> Ranking:
    """A ranking of one-letter chunks; without scores the best has one for each, the next one less."""
    given = scores or tuple(float(n) for n in range(len(ids), 0, -1))
    return Ranking(
        query, RetrieverName(retriever), tuple(Candidate(id, "p", s) for id, s in zip(ids, given, strict=True))
    )


def fused(*rankings: Ranking, **options: object) -> dict[str, float]:
    return {one.chunk_id: one.score for one in fuse(rankings, Fuse(**options))}  # type: ignore[arg-type]


def test_a_score_is_the_sum_of_the_inverse_ranks_behind_the_constant():
    scores = fused(ranking("vector", "ab"), ranking("fulltext", "bc"), constant=1)

    assert scores == pytest.approx({"b": 1 / 3 + 1 / 2, "a": 1 / 2, "c": 1 / 3})
    assert list(scores) == ["b", "a", "c"]


def test_the_constant_is_sixty_as_in_the_source():
    assert fused(ranking("vector", "ab")) == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def test_two_middling_ranks_beat_one_first_rank():
    assert next(iter(fused(ranking("vector", "fxb"), ranking("fulltext", "oyb")))) == "b"  # 2/63 > 1/61


def test_of_equal_scores_what_full_text_ranks_higher_comes_first_whatever_the_ids_are():
    vector, fulltext = ranking("vector", "bxa"), ranking("fulltext", "axb")

    scores = fused(vector, fulltext)

    assert scores["a"] == scores["b"]
    assert list(scores) == list(fused(fulltext, vector)) == ["a", "b", "x"]


@pytest.mark.parametrize("by", list(FuseBy))
def test_a_single_retriever_keeps_its_order(by: FuseBy):
    assert list(fused(ranking("vector", "zyxa"), ranking("fulltext", ""), by=by)) == ["z", "y", "x", "a"]


def test_no_hits_fuse_to_none():
    assert fused() == fused(ranking("vector", ""), ranking("fulltext", "")) == {}


def on(scale: Scale, given: Ranking) -> Ranking:
    return replace(given, scale=scale)


def test_shares_of_a_perfect_score_are_weighted_and_added():
    vector = on(Scale(0.7, 1.0), ranking("vector", "abc", 1.0, 0.85, 0.6))
    fulltext = on(Scale(0.0, 40.0), ranking("fulltext", "bd", 30.0, 10.0))

    scores = fused(vector, fulltext, by="share", weights={"vector": 3, "fulltext": 1})

    assert scores == pytest.approx({"b": 0.75 * 0.5 + 0.25 * 0.75, "a": 0.75, "c": 0.0, "d": 0.25 * 0.25})
    assert list(scores)[:2] == ["a", "b"]


def test_what_a_full_ranking_lacks_counts_as_its_lowest():
    vector = on(Scale(0.0, 1.0, missing=0.5), ranking("vector", "ab", 0.9, 0.5))
    fulltext = on(Scale(0.0, 10.0), ranking("fulltext", "c", 5.0))

    scores = fused(vector, fulltext, by="share", weights={"vector": 1, "fulltext": 1})

    assert scores == pytest.approx({"a": 0.45, "b": 0.25, "c": 0.25 + 0.25})


def test_a_scale_without_width_counts_each_score_in_full():
    assert fused(on(Scale(0.5, 0.5), ranking("vector", "ab", 0.5, 0.5)), by="share") == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(("across", "order"), [(Across.SUM, "bac"), (Across.MAX, "acb"), (Across.INTERLEAVE, "acbd")])
def test_lists_of_several_queries_are_added_or_the_best_counts_or_they_take_turns(across: Across, order: str):
    first, second = ranking("vector", "abd", 1.0, 0.8, 0.0), ranking("vector", "cbd", 1.0, 0.7, 0.0, query=1)

    assert "".join(fused(first, second, by="share", across=across))[: len(order)] == order


def test_taking_turns_nothing_comes_twice_and_all_come():
    lists = [ranking("vector", "abc"), ranking("vector", "abd", query=1), ranking("vector", "e", query=2)]

    assert list(fused(*lists, across="interleave")) == ["a", "b", "e", "c", "d"]


def test_lists_that_take_turns_tell_what_the_retrievers_of_each_say():
    first, second = (fuse([ranking("vector", ids, query=query)], Fuse()) for query, ids in enumerate(("ab", "bc")))

    taken = take_turns([first, second])

    assert [(one.chunk_id, one.score, [retriever.query for retriever in one.retrievers]) for one in taken] == [
        ("a", 1.0, [0]),
        ("b", 1 / 2, [0, 1]),
        ("c", 1 / 3, [1]),
    ]


def test_it_is_told_what_each_retriever_says_and_by_which_way_it_came():
    question = Via("Question", "q", "How?")
    asked = Ranking(1, RetrieverName.QUESTION, (Candidate("a", "p", 0.7, (question,)),))

    (only,) = fuse([ranking("vector", "a", 0.9), asked], Fuse())

    assert [(one.retriever, one.rank, one.score, one.query) for one in only.retrievers] == [
        ("vector", 1, 0.9, 0),
        ("question", 1, 0.7, 1),
    ]
    assert only.via == (question,)


def test_no_more_than_k_are_kept():
    assert list(fused(ranking("vector", "abc"), k=2)) == ["a", "b"]
