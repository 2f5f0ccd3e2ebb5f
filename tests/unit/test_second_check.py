"""Second check of claims: models on a real socket that deny what the rules accept, fail or are late."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from papergraph.cross_encoder import Reranker, Rerankers, ServedReranker
from papergraph.errors import EmbeddingError, ModelServerError
from papergraph.language_model import LanguageModel
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.draft import _Library
from papergraph.server.answers.records import Fault
from papergraph.server.answers.second_check import SecondCheck
from papergraph.server.answers.verify import Checked, Verifier
from papergraph.server.retrieval.resources import Resources
from papergraph.settings.groups import AnswerSettings, RerankerSettings
from tests.support.embedders import save_tiny_cross_encoder
from tests.support.fake_llm import FakeLLM, Reply, Request, failing, slow
from tests.support.fake_model_server import FakeModelServer
from tests.support.fake_model_server import Fault as ServerFault
from tests.support.flat_settings import settings_of
from tests.support.records import sources

SENTENCE = "Annealing was faster than tabu search on all sparse graphs of the benchmark."
CLAIM = "On all sparse graphs, annealing was faster than tabu search."
SUPPORTED = '{"reason": "It says so.", "supported": true}'
DENIED = '{"reason": "It says nothing of graphs.", "supported": false}'


def accepted(claim: str = CLAIM) -> Checked:
    checked = Verifier("", sources(SENTENCE), None).check(Claim(claim, (Mark(1),)))
    assert checked.passed
    return checked


def check_of(model: LanguageModel | None = None, *, url: str | None = None, **chosen: object) -> SecondCheck:
    served = RerankerSettings(url=url, model="some/nli", protocol="labels", attempts=1)
    rerankers = Rerankers(served.model, served=served)
    resources = SimpleNamespace(answers=AnswerSettings(**chosen), rerankers=rerankers)
    return SecondCheck(cast(Resources, resources), model)


@asynccontextmanager
async def judge(llm: FakeLLM, folder: Path) -> AsyncIterator[LanguageModel]:
    chosen = {"llm_url": llm.url, "llm_model": "scripted", "llm_attempts": 1, "cache": folder}
    async with LanguageModel.from_settings(settings_of(chosen)) as model:
        yield model


async def test_without_a_setting_nothing_is_asked():
    checked = accepted()
    second = check_of()

    assert await second.apply(checked) is checked
    assert second.usage is second.warning is None


@pytest.mark.parametrize(("share", "passes"), [(0.9, True), (0.5, True), (0.49, False)])
async def test_an_entailment_model_denies_what_the_rules_accept(share: float, passes: bool):
    labels = [{"label": "neutral", "score": 1 - share}, {"label": "ENTAILMENT", "score": share}]
    with FakeModelServer() as server:
        server.always = lambda request: ServerFault(body=json.dumps([labels]).encode())
        second = check_of(url=server.address, second_check="entailment")
        found = await second.apply(accepted())

    (request,) = server.requests
    assert request.path == "/predict"
    assert request.body["inputs"] == [[SENTENCE, CLAIM]]
    assert found.passed is passes
    assert second.warning is None
    assert second.usage is not None
    assert (second.usage.check, len(second.usage.ms)) == ("entailment by some/nli", 1)
    assert second.usage.denied == (not passes)
    if not passes:
        assert [one.fault for one in found.dropped] == [Fault.DENIED]
        assert "entailment by some/nli" in found.dropped[0].detail
        assert "0.49" in found.dropped[0].detail


@pytest.mark.parametrize(("said", "passes"), [(SUPPORTED, True), (DENIED, False)])
async def test_a_judge_denies_with_its_reason_and_its_tokens_are_counted(tmp_path, said: str, passes: bool):
    with FakeLLM() as llm:
        asked: list[Request] = []
        llm.otherwise(lambda request: asked.append(request) or Reply(said))
        async with judge(llm, tmp_path) as model:
            second = check_of(model, second_check="judge", check_timeout_s=100)
            found = await second.apply(accepted())

    assert found.passed is passes
    assert SENTENCE in asked[0].prompt
    assert CLAIM in asked[0].prompt
    assert second.usage is not None
    assert second.usage.tokens > 0
    assert passes or "judge scripted) denies it: It says nothing of graphs." in found.dropped[0].detail


@pytest.mark.parametrize("claim", [SENTENCE, "Annealing was faster than tabu search."])
async def test_a_quote_word_for_word_needs_no_model(claim: str):
    with FakeModelServer() as server:
        second = check_of(url=server.address, second_check="entailment")
        assert (await second.apply(accepted(claim))).passed

    assert not server.requests


async def test_if_a_check_is_late_the_rules_stand_alone_and_no_more_is_asked(tmp_path):
    with FakeLLM() as llm:
        llm.otherwise(slow(DENIED, delay_s=5.0))
        async with judge(llm, tmp_path) as model:
            second = check_of(model, second_check="judge", check_timeout_s=0.2)
            results = [await second.apply(accepted()) for _ in range(3)]

    assert all(one.passed for one in results)
    assert second.usage is None
    assert second.warning == "The second check failed, so the rules alone verified the rest: no result within 0.2 s"


async def test_a_check_that_fails_says_what_to_set(tmp_path):
    with FakeLLM() as llm:
        llm.otherwise(failing())
        async with judge(llm, tmp_path) as model:
            failed = check_of(model, second_check="judge")
            assert (await failed.apply(accepted())).passed
    without_model, unnamed = check_of(second_check="judge"), check_of(second_check="entailment")
    unnamed._rerankers = Rerankers()
    assert (await without_model.apply(accepted())).passed
    assert (await unnamed.apply(accepted())).passed

    assert failed.warning
    assert "rules alone" in failed.warning
    assert "PAPERGRAPH_LLM_URL" in str(without_model.warning)
    assert "PAPERGRAPH_ANSWERS_ENTAILMENT_MODEL" in str(unnamed.warning)


@pytest.mark.parametrize("labels", [[], [{"label": "LABEL_1", "score": 0.9}], [{"label": "entailment"}]])
def test_labels_without_entailment_are_refused(labels: list[dict[str, object]]):
    with FakeModelServer() as server:
        server.always = lambda request: ServerFault(body=json.dumps([labels]).encode())
        settings = RerankerSettings(url=server.address, model="m", protocol="labels", attempts=1)
        with pytest.raises(ModelServerError, match="no score of each passage"):
            ServedReranker(settings, "m").scores(SENTENCE, [CLAIM])


async def test_a_draft_does_not_show_a_denied_citation_as_supported():
    with FakeModelServer() as server:
        server.always = lambda request: ServerFault(body=json.dumps([[{"label": "entailment", "score": 0.1}]]).encode())
        library = object.__new__(_Library)
        library.second = check_of(url=server.address, second_check="entailment")
        denial = await library._denial("Smith et al. found that " + CLAIM, accepted().quotes)
        (request,) = server.requests

    assert request.body["inputs"][0][1] == CLAIM
    assert denial is not None
    assert denial.startswith("the rules accept it, but the second check (entailment by some/nli) denies it")


@pytest.mark.slow
def test_a_local_entailment_model_gives_the_probability_of_its_label(tmp_path):
    folder = save_tiny_cross_encoder(tmp_path / "nli", labels=("contradiction", "entailment", "neutral"))
    unnamed = save_tiny_cross_encoder(tmp_path / "unnamed", labels=("a", "b", "c"))

    model = Reranker(str(folder))
    scores = model.scores(SENTENCE, [CLAIM, "Whales sing."])

    raw = model._model.predict([(SENTENCE, CLAIM), (SENTENCE, "Whales sing.")], apply_softmax=True)
    assert scores == pytest.approx(raw[:, 1].tolist(), abs=1e-5)
    with pytest.raises(EmbeddingError, match="entailment"):
        Reranker(str(unnamed))
