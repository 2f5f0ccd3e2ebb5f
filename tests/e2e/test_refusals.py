"""Near misses, questions in other languages, and the nearest passage of a refusal; without a language model."""

from dataclasses import replace

import httpx
import pytest

from papergraph.language_model import LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.answerability import LEAST
from papergraph.server.answers.records import Answer, Reason, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.app import create_app
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.resources import Resources
from tests.support.flat_settings import settings_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
NEAR_MISS = "How many milligrams of caesium does a patch need?"


async def test_a_question_with_a_rare_noun_that_is_not_near_is_refused(library, embedder):
    resources = Resources.of(library, embedder)

    found = await answer(resources, AskRequest(QUESTION))
    missed = await answer(resources, AskRequest(NEAR_MISS))
    forced = await answer(resources, AskRequest(NEAR_MISS, min_answerability=0.0))

    assert isinstance(found, Answer)
    assert isinstance(missed, Refusal)
    assert missed.reason is Reason.NO_EVIDENCE
    assert missed.evidence is not None and "caesium" in missed.evidence.absent
    if missed.evidence.probability >= LEAST:
        assert "“caesium”" in missed.message
    assert isinstance(forced, Answer)


async def test_a_rare_noun_that_is_not_near_is_refused_before_a_model_is_asked(library, embedder, fake_llm, tmp_path):
    chosen = {"llm_url": fake_llm.url, "llm_model": "scripted", "llm_attempts": 1, "cache": tmp_path}
    async with LanguageModel.from_settings(settings_of(chosen)) as model:
        resources = replace(Resources.of(library, embedder), language_model=model)

        missed = await answer(resources, AskRequest(NEAR_MISS))

    assert isinstance(missed, Refusal)
    assert missed.reason is Reason.NO_EVIDENCE
    assert fake_llm.requests == []


async def test_a_refusal_below_the_minimum_shows_the_nearest_sentence_with_the_probability(library, embedder):
    resources = Resources.of(library, embedder)

    near = await answer(resources, AskRequest(QUESTION, min_answerability=1.0))
    far = await answer(resources, AskRequest("Which yeast bakes the fluffiest brioche in a humid kitchen?"))

    assert isinstance(near, Refusal)
    assert near.evidence is not None
    assert f"answerability {near.evidence.probability:.2f}, minimum 1.00" in near.message
    assert "Nearest passage [" in near.message
    assert isinstance(far, Refusal)
    assert "Nearest passage" not in far.message


async def test_every_interface_says_that_the_model_does_not_support_the_language(library, embedder):
    question = "Welche Dekoder werden für den Oberflächencode verglichen?"
    transport = httpx.ASGITransport(create_app(Service(library, embedder)))
    ask = "query ($input: AskInput!) { ask(input: $input) { ... on Answered { warnings } } }"
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        rest = (await client.post("/v1/ask", json={"question": question})).json()
        body = {"query": ask, "variables": {"input": {"question": question}}}
        graphql = (await client.post("/graphql", json=body)).json()
        chat = await client.post(
            "/v1/chat/completions",
            json={"model": "papergraph-retrieval-only", "messages": [{"role": "user", "content": question}]},
        )

    for warnings in (rest["warnings"], graphql["data"]["ask"]["warnings"], chat.json()["papergraph"]["warnings"]):
        assert "The query is in German" in warnings[0]
        assert "supports English only" in warnings[0]
