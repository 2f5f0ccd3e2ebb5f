import asyncio
import json

import pytest
from pydantic import SecretStr

from papergraph.cross_encoder import Rerankers, ServedReranker
from papergraph.errors import EmbeddingError, ModelServerError
from papergraph.server.retrieval.steps.rerank import scaled
from papergraph.settings.groups import RerankerSettings
from tests.support.fake_model_server import FakeModelServer, Fault

QUERY = "tides of the north sea"
PASSAGES = ["no word in common", "tides of the north sea", "the sea"]
SCORES = [0.0, 1.0, 0.4]


@pytest.fixture
def server():
    with FakeModelServer() as running:
        yield running


def reranker_of(server, **changes):
    given = {"url": server.url, "model": "some/reranker", "timeout_s": 60.0, **changes}
    settings = RerankerSettings(**given)
    return ServedReranker(settings, settings.model)


@pytest.mark.parametrize(("protocol", "path"), [("cohere", "/v1/rerank"), ("tei", "/rerank")])
def test_scores_come_in_the_order_of_the_passages(server, protocol, path):
    reranker = reranker_of(server, protocol=protocol, url=server.url if protocol == "cohere" else server.address)

    assert reranker.scores(QUERY, PASSAGES) == pytest.approx(SCORES)
    assert [request.path for request in server.requests] == [path]
    assert reranker.scores(QUERY, []) == []


def test_answers_of_voyage_are_read(server):
    rows = [{"index": place, "relevance_score": score} for place, score in enumerate(SCORES)]
    server.always = lambda request: Fault(body=json.dumps({"object": "list", "data": rows}).encode())

    assert reranker_of(server).scores(QUERY, PASSAGES) == SCORES


def test_many_passages_go_in_batches(server):
    found = reranker_of(server, batch_size=4).scores(QUERY, PASSAGES * 5)

    assert found == pytest.approx(SCORES * 5)
    assert sorted(len(request.body["documents"]) for request in server.requests) == [3, 4, 4, 4]


def test_logits_become_scores_from_0_to_1(server):
    rows = [{"index": 0, "relevance_score": -5000.0}, {"index": 1, "relevance_score": 0.0}]
    server.always = lambda request: Fault(body=json.dumps({"results": rows}).encode())

    assert reranker_of(server, scores="logit").scores(QUERY, PASSAGES[:2]) == pytest.approx([0.0, 0.5])
    with pytest.raises(ModelServerError, match="logit"):
        reranker_of(server).scores(QUERY, PASSAGES[:2])


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        None,
        {"results": [{"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5}] * 3},
        {"results": [{"index": place, "relevance_score": None} for place in range(3)]},
        {"results": [{"index": place, "relevance_score": float("nan")} for place in range(3)]},
    ],
)
def test_an_answer_without_a_score_of_each_passage_is_refused(server, answer):
    server.always = lambda request: Fault(body=json.dumps(answer).encode())

    with pytest.raises(ModelServerError, match="no score of each passage"):
        reranker_of(server).scores(QUERY, PASSAGES)


@pytest.mark.parametrize("fault", [Fault(status=429), Fault(status=503), Fault(cut_after=10)])
def test_what_may_pass_is_tried_again(server, fault):
    server.faults.append(fault)

    assert reranker_of(server).scores(QUERY, PASSAGES) == pytest.approx(SCORES)


@pytest.mark.slow
def test_a_slow_server_is_left_at_the_time_limit(server):
    server.always = lambda request: Fault(delay_s=60.0)

    with pytest.raises(ModelServerError, match="in time"):
        reranker_of(server, timeout_s=2.0).scores(QUERY, PASSAGES)


def test_the_key_is_sent(server):
    server.key = "sk-secret"

    assert reranker_of(server, api_key=SecretStr("sk-secret")).scores(QUERY, PASSAGES) == pytest.approx(SCORES)
    with pytest.raises(ModelServerError, match="PAPERGRAPH_RERANKER_API_KEY"):
        reranker_of(server).scores(QUERY, PASSAGES)


def test_names_mean_rerankers_of_the_server(server):
    rerankers = Rerankers("some/reranker", served=RerankerSettings(url=server.url))

    found = asyncio.run(rerankers.get("some/reranker"))

    assert isinstance(found, ServedReranker) and found.scores(QUERY, PASSAGES) == pytest.approx(SCORES)


@pytest.mark.slow
def test_a_folder_that_is_no_reranker_is_refused(server, tmp_path):
    rerankers = Rerankers("some/reranker", served=RerankerSettings(url=server.url))

    with pytest.raises(EmbeddingError, match="cannot load the reranker"):
        asyncio.run(rerankers.get(str(tmp_path)))


def test_scores_before_are_scaled_where_no_reranker_answers():
    assert scaled([3.0, 1.0, 2.0]) == [1.0, 0.0, 0.5]
    assert scaled([2.0, 2.0]) == [1.0, 1.0]
    assert scaled([]) == []
