"""The classifier of questions about the graph: what its weights were fitted to, and phrasings that no line has."""

import numpy as np
import pytest

from papergraph.server.answers.graph_recognition import NO_QUERY, WEIGHTS, likely
from scripts.phrasings.__main__ import checksum, words_of


def test_the_weights_were_fitted_to_the_committed_phrasings():
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert str(stored["grammar"]) == checksum(), "run python -m scripts.phrasings"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("do we stock works of {author}", "papers"),
        ("{author} and {coauthor} joint articles", "papers"),
        ("what quantity of papers came from {author}", "count_papers"),
        ("whoever drafted {paper} , tell me", "authors_of_paper"),
        ("the year that {paper} came out", "year_of_paper"),
        ("{author} co-writers please", "coauthors"),
        ("papers making reference to {paper}", "citing_papers"),
        ("literature cited by {paper}", "cited_works"),
        ("what does {author} say about {paper}", NO_QUERY),
        ("how do i install {paper}", NO_QUERY),
        ("the {author} estimator", NO_QUERY),
    ],
)
def test_a_phrasing_is_near_those_of_its_query(text, query):
    assert likely(words_of(text)).query == query
