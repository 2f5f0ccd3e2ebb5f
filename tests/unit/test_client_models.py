"""Models and requests of the Python client, without a server."""

from datetime import UTC, datetime

import httpx
import pytest

from papergraph_client import Papergraph, models
from papergraph_client._http import Call, EventReader, RawResponse, pause_after
from papergraph_client._model import encode_options

JOB = {
    "id": "a",
    "kind": "something new",
    "createdAt": "2026-01-02T03:04:05.123456789Z",
    "states": {"done": 2},
    "sources": ["x"],
    "aNewField": {"b": 1},
}


def test_unknown_fields_and_values_and_missing_ones_cause_no_error():
    job = models.Job.from_json(JOB)

    assert (job.kind, job.sources, job.states, job.state) == ("something new", ("x",), {"done": 2}, None)
    assert job.created_at == datetime(2026, 1, 2, 3, 4, 5, 123456, UTC)
    assert models.Job.from_json(job.to_json()) == job


def test_a_node_is_of_the_class_of_its_label_and_one_of_a_new_label_stays_json():
    known = models.Node.from_json({"label": "Author", "node": {"id": "1", "name": "Ada", "collection": "main"}})
    new = models.Node.from_json({"label": "Figure", "node": {"id": "1"}})

    assert known.node == models.Author(id="1", name="Ada", collection="main")
    assert new.node == {"id": "1"}


def test_options_have_the_names_of_the_api_and_those_of_users_stay():
    options = {"token_budget": 5, "selection": {"max_per_paper": 1}, "overrides": {"search.k_max": 3}, "k": None}

    assert encode_options(options) == {
        "tokenBudget": 5,
        "selection": {"maxPerPaper": 1},
        "overrides": {"search.k_max": 3},
    }


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_read_however_they_are_cut(size: int):
    text = ': still there\n\nevent: delta\r\ndata: {"text":\r\ndata:  "Größe 🧪"}\r\n\r\ndata: x\n\n'
    whole, reader = text.encode(), EventReader()

    events = [event for start in range(0, len(whole), size) for event in reader.feed(whole[start : start + size])]

    assert events == [("delta", '{"text":\n "Größe 🧪"}'), ("message", "x")]


def test_places_in_paths_are_quoted():
    assert (
        Call("GET", "/v1/papers/{id}", {"id": "a/../b?c#d"}).url("http://x/") == "http://x/v1/papers/a%2F..%2Fb%3Fc%23d"
    )


@pytest.mark.parametrize(
    ("repeatable", "failure", "again"),
    [
        (False, RawResponse(429, {}, b""), True),
        (False, RawResponse(503, {"retry-after": "1"}, b""), True),
        (False, RawResponse(503, {}, b""), False),
        (True, RawResponse(503, {}, b""), True),
        (True, RawResponse(429, {"retry-after": "61"}, b""), False),
        (True, RawResponse(500, {}, b""), False),
        (False, httpx.ConnectError(""), True),
        (False, httpx.ReadError(""), False),
        (True, httpx.ReadError(""), True),
    ],
)
def test_only_what_was_not_done_or_is_repeatable_is_sent_again(repeatable: bool, failure, again: bool):
    pause = pause_after(Call("POST", "/", repeatable=repeatable), 1, failure)

    assert (pause is not None) == again


def test_options_are_of_a_copy_that_shares_the_connections():
    with Papergraph("http://127.0.0.1:1", "pg_a") as client:
        other = client.with_options(timeout=1, max_retries=0)

        assert (client._transport.timeout, other._transport.timeout) == (60.0, 1)
        assert other._transport.http is client._transport.http
