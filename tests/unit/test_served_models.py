import json
import pickle
import time

import numpy as np
import pytest
from pydantic import SecretStr

from papergraph.embedding import (
    DEFAULT_NAME,
    PackagedModel,
    ServedModel,
    check_vectors,
    encode_whole,
    model_checksum,
    open_model,
)
from papergraph.embedding.model import KNOWN_MODELS, known_model
from papergraph.embedding.served import PROBES, lowest_cosine, open_served
from papergraph.errors import Code, EmbeddingError, InputError, ModelServerError
from papergraph.settings.groups import EmbeddingSettings
from tests.support.fake_model_server import FakeModelServer, Fault, vector_of


@pytest.fixture
def server():
    with FakeModelServer() as running:
        yield running


def settings_of(server, **changes):
    given = {"url": server.url, "model": "some/model", "timeout_s": 60.0, "attempts": 3, **changes}
    return EmbeddingSettings(**given)


def opened(server, known=(), **changes):
    settings = settings_of(server, **changes)
    return open_served(settings, settings.model, known)


def unit(vector):
    return np.asarray(vector, dtype=np.float32) / np.linalg.norm(vector)


@pytest.mark.parametrize(("protocol", "path"), [("openai", "/v1/embeddings"), ("tei", "/embed")])
def test_texts_get_the_vectors_of_the_server_in_their_order_at_length_one(server, protocol, path):
    model = opened(server, protocol=protocol, url=server.url if protocol == "openai" else server.address, batch_size=3)
    texts = ["a longer text about tides", "short", "", "another one of some length", "b", "tides"]

    vectors = model.encode_documents(texts)

    assert {request.path for request in server.requests} - {"/info"} == {path}
    assert vectors.dtype == np.float32 and vectors.shape == (6, 32)
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == pytest.approx(unit(vector_of("first", text, 32)), abs=1e-6)
    assert model.encode_query("short") == pytest.approx(vectors[1], abs=1e-6)
    check_vectors(list(vectors), dimension=model.card.dimension)


def test_no_text_is_no_request(server):
    model = opened(server)
    n_requests = len(server.requests)

    assert model.encode_documents([]).shape == (0, 32)
    assert len(server.requests) == n_requests


def test_batches_are_of_the_size_that_is_set_and_are_sent_side_by_side(server):
    model = opened(server, batch_size=4, concurrency=3)
    server.always = lambda request: Fault(delay_s=0.1)
    server.requests.clear()

    model.encode_documents([f"text {number}" for number in range(24)])

    assert [len(request.texts) for request in server.requests] == [4] * 8
    assert {request.texts[0] for request in server.requests} == {PROBES[0]}
    assert 1 < server.most_open <= 3


def test_a_batch_that_is_too_much_for_the_server_is_halved(server):
    server.most_texts = 5
    model = opened(server, batch_size=32)

    vectors = model.encode_documents([f"text {number}" for number in range(20)])

    assert vectors[7] == pytest.approx(unit(vector_of("first", "text 7", 32)), abs=1e-6)
    server.requests.clear()
    model.encode_documents([f"text {number}" for number in range(20)])
    assert max(len(request.texts) for request in server.requests) <= 5


def test_a_text_that_the_server_refuses_stops_the_batch_with_what_it_says(server):
    model = opened(server)
    server.always = lambda request: Fault(status=400, told="too long") if "bad" in request.texts else None

    with pytest.raises(ModelServerError, match="too long") as caught:
        model.encode_documents(["good", "bad", "good too"])

    assert caught.value.status == 400


def test_a_model_keeps_its_checksum_and_another_model_has_another(server):
    first, again = opened(server), opened(server)
    server.model = "second"

    assert first.card == again.card
    assert opened(server).card.sha256 != first.card.sha256


def test_vectors_that_differ_by_rounding_are_of_the_same_model(server):
    known = opened(server).card
    server.always = lambda request: Fault(change=lambda vectors: [[x + 0.003 for x in vector] for vector in vectors])

    found = opened(server, [known]).card

    assert found.sha256 == known.sha256 and found.probes == known.probes


def test_a_model_that_changes_behind_its_url_is_refused_and_none_of_its_vectors_comes_back(server):
    model = opened(server, batch_size=2, concurrency=1)
    model.encode_documents(["one", "two"])
    server.model = "second"

    with pytest.raises(ModelServerError, match="embeddings switch some/model"):
        model.encode_documents(["three", "four", "five"])
    with pytest.raises(ModelServerError, match="another model under the name"):
        model.encode_query("three")


def test_a_model_of_another_dimension_behind_the_url_is_refused(server):
    model = opened(server)
    server.dimension = 16

    with pytest.raises(ModelServerError, match="16 numbers, not 32"):
        model.encode_documents(["one"])


def test_the_first_numbers_of_vectors_are_kept_where_a_dimension_is_set(server):
    model = opened(server, dimension=8)

    (vector,) = model.encode_documents(["tides"])

    assert model.card.dimension == 8
    assert vector == pytest.approx(unit(vector_of("first", "tides", 32)[:8]), abs=1e-6)
    assert model.card.sha256 != opened(server).card.sha256


def test_more_numbers_than_the_model_has_cannot_be_kept(server):
    with pytest.raises(ModelServerError, match="32 numbers, not 64"):
        opened(server, dimension=64)


@pytest.mark.parametrize(
    "change",
    [
        lambda vectors: [[float("nan"), *vector[1:]] for vector in vectors],
        lambda vectors: [[float("inf"), *vector[1:]] for vector in vectors],
        lambda vectors: [[None, *vector[1:]] for vector in vectors],
        lambda vectors: [[0.0] * len(vector) for vector in vectors],
        lambda vectors: [vectors[0], *(vector[:-1] for vector in vectors[1:])],
        lambda vectors: vectors[:-1],
        lambda vectors: [*vectors, vectors[0]],
        lambda vectors: [[] for _ in vectors],
        lambda vectors: ["AAAA" for _ in vectors],
        lambda vectors: [[vector] for vector in vectors],
    ],
    ids=["nan", "inf", "null", "zero", "ragged", "too few", "too many", "empty", "text", "nested"],
)
def test_vectors_that_cannot_be_stored_are_refused(server, change):
    model = opened(server)
    server.always = lambda request: Fault(change=change)

    with pytest.raises(ModelServerError) as caught:
        model.encode_documents(["one", "two"])

    assert caught.value.code is Code.UNAVAILABLE and server.url in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"null",
        b'{"data": 3}',
        b'{"data": [{"index": 0}, {"index": 1}]}',
        json.dumps({"data": [{"index": 1, "embedding": [1.0]}] * 2}).encode(),
    ],
)
def test_an_answer_of_another_form_is_refused(server, body):
    model = opened(server)
    server.always = lambda request: Fault(body=body)

    with pytest.raises(ModelServerError, match="no vectors"):
        model.encode_documents(["one"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429, headers={"Retry-After": "0"}),
        Fault(status=500),
        Fault(status=503),
        Fault(cut_after=40),
        Fault(body=b"<html>"),
        Fault(body=b'{"data": [{"index'),
    ],
    ids=["429", "500", "503", "truncated", "web page", "half a JSON"],
)
def test_what_may_pass_is_tried_again(server, fault):
    model = opened(server)
    server.faults.extend([fault, fault])

    assert model.encode_documents(["one"])[0] == pytest.approx(unit(vector_of("first", "one", 32)), abs=1e-6)


def test_what_does_not_pass_is_told_after_the_last_attempt(server):
    model = opened(server, attempts=2)
    server.always = lambda request: Fault(status=503, told="loading")
    n_before = len(server.requests)

    with pytest.raises(ModelServerError, match=r"status 503: .*loading"):
        model.encode_documents(["one"])

    assert len(server.requests) == n_before + 2


@pytest.mark.slow
def test_retry_after_delays_every_request_of_the_process(server):
    model = opened(server, batch_size=2, concurrency=1)
    server.requests.clear()
    server.faults.append(Fault(status=429, headers={"Retry-After": "2"}))

    model.encode_documents(["one", "two"])

    first, *later = [request.at_s for request in server.requests]
    assert len(later) == 2 and min(later) - first >= 2.0


def test_a_retry_after_beyond_the_time_limit_is_not_waited_for(server):
    model = ServedModel(settings_of(server, timeout_s=20.0), opened(server).card)
    server.faults.append(Fault(status=429, headers={"Retry-After": "3600"}))
    start = time.monotonic()

    with pytest.raises(ModelServerError, match="429"):
        model.encode_documents(["one"])

    assert time.monotonic() - start < 100


@pytest.mark.slow
def test_a_slow_server_is_left_at_the_time_limit(server):
    model = ServedModel(settings_of(server, timeout_s=2.0), opened(server).card)
    server.always = lambda request: Fault(delay_s=60.0)
    start = time.monotonic()

    with pytest.raises(ModelServerError, match="did not answer in time"):
        model.encode_documents(["one"])

    assert time.monotonic() - start < 50


def test_a_server_that_is_not_there_is_told_with_the_setting():
    with FakeModelServer() as gone:
        settings = settings_of(gone, attempts=1)

    with pytest.raises(ModelServerError, match="PAPERGRAPH_EMBEDDING_URL"):
        open_served(settings, "some/model")


def test_the_key_goes_to_the_server_and_into_no_error(server):
    server.key = "sk-secret"
    model = opened(server, api_key=SecretStr("sk-secret"))
    assert model.encode_query("tides").shape == (32,)
    server.always = lambda request: Fault(status=400, told="your key sk-secret is bad")

    with pytest.raises(ModelServerError) as caught:
        model.encode_query("tides")

    assert "sk-secret" not in str(caught.value) + repr(model.settings) + repr(model.card)


def test_a_wrong_key_is_not_tried_again(server):
    server.key = "right"

    with pytest.raises(ModelServerError, match="set PAPERGRAPH_EMBEDDING_API_KEY"):
        opened(server, api_key=SecretStr("wrong"))

    assert len(server.requests) == 1


def test_redirects_are_failures(server):
    server.always = lambda request: Fault(status=307, headers={"Location": "http://127.0.0.1:1/"})

    with pytest.raises(ModelServerError, match="status 307"):
        opened(server)


@pytest.mark.parametrize("url", ["ftp://models", "http://user:secret@models/v1", "http://", "models"])
def test_what_is_no_address_is_refused(server, url):
    with pytest.raises(InputError):
        opened(server, url=url)


def test_prefixes_come_from_the_table_or_from_the_settings(server):
    by_table = opened(server, model="intfloat/multilingual-e5-small")
    by_setting = opened(server, query_prefix="Q: ", document_prefix="D: ")
    server.requests.clear()

    by_table.encode_documents(["tides"])
    by_table.encode_query("tides")
    by_setting.encode_documents(["tides"])
    by_setting.encode_query("tides")

    assert server.texts[1::2] == ["passage: tides", "query: tides", "D: tides", "Q: tides"]
    assert server.texts[::4] == [f"passage: {PROBES[0]}", f"D: {PROBES[0]}"]
    assert by_table.card.sha256 != by_setting.card.sha256


@pytest.mark.parametrize(
    ("model", "settings", "is_warned"),
    [
        ("nobody/unknown-a", {}, True),
        ("nobody/unknown-b", {"query_prefix": ""}, False),
        ("nobody/unknown-c", {"query_prefix": "Q: "}, False),
        ("MongoDB/mdbr-leaf-ir", {}, False),
        ("e5-small-v2:latest", {}, False),
    ],
)
def test_a_model_without_known_prefixes_is_warned_of_once(server, caplog, model, settings, is_warned):
    for _ in range(2):
        opened(server, model=model, **settings)

    warnings = [one.message for one in caplog.records if "PAPERGRAPH_EMBEDDING_QUERY_PREFIX" in one.message]
    assert len(warnings) == is_warned
    assert all(model in one for one in warnings)


def test_models_are_known_by_the_end_of_their_names():
    assert known_model("bge-m3:latest") is known_model("BAAI/bge-m3")
    assert known_model("Qwen3-Embedding-0.6B").query_prefix.startswith("Instruct: ")
    assert known_model("somebody/unknown").max_tokens == 512
    assert len({model.short_name for model in KNOWN_MODELS}) == len(KNOWN_MODELS)


def test_long_texts_are_cut_to_what_the_model_reads(server):
    model = opened(server, max_tokens=20)
    server.requests.clear()

    model.encode_documents(["tides and waves " * 200])

    sent = server.texts[1]
    assert len(model.tokenizer.encode(sent).ids) == 20
    assert ("tides and waves " * 200).startswith(sent)


def test_text_embeddings_inference_tells_how_long_a_text_may_be_and_how_many_go_together(server):
    server.most_texts = 7
    model = opened(server, protocol="tei", url=server.address)

    assert model.card.max_tokens == 128
    server.requests.clear()
    model.encode_documents([f"text {number}" for number in range(20)])
    assert max(len(request.texts) for request in server.requests) == 7


def test_texts_of_any_length_are_embedded_window_by_window(server):
    model = opened(server, max_tokens=32)

    assert encode_whole(model, ["tides " * 100, "waves"]).shape == (2, 32)


def test_half_a_letter_is_embedded_as_a_question_mark(server):
    model = opened(server)

    assert model.encode_query("tides \ud800") == pytest.approx(unit(vector_of("first", "tides ?", 32)), abs=1e-6)


def test_another_process_opens_the_model_with_its_own_key(server, monkeypatch):
    model = opened(server, api_key=SecretStr("sk-secret"))
    pickled = pickle.dumps(model)
    monkeypatch.setenv("PAPERGRAPH_EMBEDDING_URL", server.url)
    monkeypatch.setenv("PAPERGRAPH_EMBEDDING_API_KEY", "sk-other")

    copy = pickle.loads(pickled)  # noqa: S301 ours

    assert b"sk-secret" not in pickled
    assert copy.card == model.card
    assert lowest_cosine(copy.encode_documents(["one"]), model.encode_documents(["one"])) > 0.999
    assert {request.headers.get("authorization") for request in server.requests} >= {"Bearer sk-other"}


def test_the_packaged_model_and_folders_stay_local_beside_a_server(server, tmp_path):
    settings = settings_of(server)

    assert isinstance(open_model(settings, DEFAULT_NAME), PackagedModel)
    with pytest.raises(EmbeddingError, match="safetensors"):
        open_model(settings, str(tmp_path))
    for name in ("some/model", "~nobody-here/model", "m" * 5000):
        assert isinstance(open_model(settings, name), ServedModel)
    assert model_checksum(settings, "some/model") == open_model(settings, "some/model").card.sha256


def test_a_name_that_the_store_knows_means_the_same_kind_of_model(server):
    served = opened(server).card
    local = PackagedModel().card

    with pytest.raises(InputError, match="PAPERGRAPH_EMBEDDING_URL"):
        open_model(EmbeddingSettings(), "some/model", [served])
    assert isinstance(open_model(settings_of(server), local.name, [local]), PackagedModel)
