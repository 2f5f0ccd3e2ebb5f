"""Follow-up questions and instructions, without a language model and with a scripted one."""

import pytest

from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Refusal
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.retrieval.resources import Resources

pytestmark = pytest.mark.asyncio(loop_scope="session")

HISTORY = (Turn("user", "Which decoders of surface codes were compared?"), Turn("assistant", "Two of them. [1]"))


async def test_without_a_model_a_follow_up_question_gets_words_of_the_one_before(library, embedder):
    result = await answer(
        Resources.of(library, embedder), AskRequest("Which one is faster per round?", history=HISTORY)
    )

    assert isinstance(result, Answer)
    assert result.question.startswith("Which one is faster per round? (")
    assert {"decoders", "surface", "codes"} <= set(result.question.strip(")").split(" (")[1].split())
    assert "Surface Codes" in result.citations[0].paper_title


async def test_a_question_that_stands_by_itself_is_left_as_it_is(library, embedder):
    question = "How does zero-noise extrapolation scale the noise of gates?"

    result = await answer(Resources.of(library, embedder), AskRequest(question, history=HISTORY))

    assert result.question == question


async def test_instructions_on_length_are_followed_and_others_are_reported(library, embedder):
    asking = AskRequest("What is a surface code?", instructions="Answer in one sentence. Add a poem.")

    result = await answer(Resources.of(library, embedder), asking)

    assert isinstance(result, Answer)
    assert len({(one.claim_start, one.claim_end) for one in result.citations}) == 1
    assert "ignored instruction: Add a poem." in result.warnings


async def test_a_refusal_reports_ignored_instructions_too(library, embedder):
    asking = AskRequest("What is the population of Mars?", instructions="Add a poem.")

    result = await answer(Resources.of(library, embedder), asking)

    assert isinstance(result, Refusal)
    assert "ignored instruction: Add a poem." in result.warnings


async def test_a_follow_up_question_on_another_subject_is_not_answered_with_the_one_before(library, embedder):
    history = (Turn("user", "What is a surface code?"), Turn("assistant", "A code of qubits. [1]"))

    result = await answer(
        Resources.of(library, embedder), AskRequest("What is the population of Mars?", history=history)
    )

    assert isinstance(result, Refusal)
    assert result.evidence is not None
    assert "mars" in result.evidence.absent


async def test_a_question_that_points_back_is_put_to_the_paper_that_answers_the_one_before(library, embedder):
    history = (Turn("user", "How do surface codes suppress logical errors?"), Turn("assistant", "By distance. [1]"))

    result = await answer(Resources.of(library, embedder), AskRequest("Which noise model was used?", history=history))

    assert isinstance(result, Answer)
    assert {one.paper_title for one in result.citations} == {"Surface Codes and Their Logical Error Rates"}
