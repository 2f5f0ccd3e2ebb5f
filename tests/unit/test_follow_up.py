"""Follow-up questions by rules: which questions need what was said before."""

import pytest

from papergraph.server.answers.follow_up import points_back


@pytest.mark.parametrize(
    "question",
    [
        "And which one of them comes from NLopt?",
        "How large is it?",
        "What about distance 7?",
        "Why?",
        "Who paid for the study?",
        "How many participants were there?",
    ],
)
def test_a_question_that_points_back_or_says_little_needs_its_history(question):
    assert points_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "How does the logical error rate of a surface code depend on distance?",
        "Which optimizers does lme4 use for linear mixed models?",
    ],
)
def test_a_question_that_stands_by_itself_needs_none(question):
    assert not points_back(question)
