"""Follow-up questions and instructions, without a language model and with a scripted one."""

import pytest

from server.answers.answer import answer
from server.answers.records import Answer
from server.answers.request import AskRequest, Turn
from server.retrieval.resources import Resources

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
