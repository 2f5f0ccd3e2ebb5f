"""What a request takes that another service answers, told by the service or estimated."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from papergraph.language_model import ModelUsage
from papergraph.language_model.completion import Prices
from papergraph.server.openai.proxy import Count
from papergraph.server.operations.llm_proxy import ProxyResponse

PRICES = Prices(2.0, 8.0)
ASKED = {"model": "other", "messages": [{"role": "user", "content": "How long is the code distance?"}]}
N_INPUT = -(-len(json.dumps(ASKED)) // 3)
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}


async def nothing() -> AsyncGenerator[bytes, None]:
    return
    yield b""


def count_of(answer: bytes, *, status: int = 200, stream: bool = False, block: int = 7) -> Count:
    """Return the count once an answer has passed in blocks."""
    count = Count(ASKED, PRICES, most_answer_tokens=500)
    content_type = "text/event-stream; charset=utf-8" if stream else "application/json"
    count.begin(ProxyResponse(status, content_type, nothing()))
    for at in range(0, len(answer), block):
        count.take(answer[at : at + block])
    return count


def events(*said: object) -> bytes:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in said]
    return "".join(f"data: {line}\r\n\r\n" for line in lines).encode()


def piece(text: str) -> dict[str, object]:
    delta = {"role": "assistant", "content": text, "tool_calls": [{"id": "call-1", "function": {"arguments": "{}"}}]}
    return {"choices": [{"delta": delta, "finish_reason": "stop", "logprobs": {"content": [{"token": text}]}}]}


def test_what_the_service_tells_is_what_counts():
    whole = {"choices": [{"message": {"content": "Seven."}}], "usage": USAGE}
    pieces = events(piece("Sev"), piece("en."), {"choices": [], "usage": USAGE}, "[DONE]")

    told = [count_of(json.dumps(whole).encode()).spent, count_of(pieces, stream=True).spent]

    assert told == [ModelUsage(1, 0, 100, 7, 0, (100 * 2.0 + 7 * 8.0) / 1e6)] * 2


@pytest.mark.parametrize("stream", [False, True])
def test_where_it_tells_nothing_the_texts_are_estimated(stream: bool):
    whole = json.dumps({"choices": [{"message": {"content": "x" * 30}}], "usage": None}).encode()
    pieces = events(*[piece("x" * 8)] * 3, "[DONE]")

    spent = count_of(pieces if stream else whole, stream=stream).spent

    assert spent == PRICES.usage(N_INPUT, 10, estimated_tokens=N_INPUT + 10)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": True},
        {"prompt_tokens": 10**400, "completion_tokens": 3},
        "much",
        [],
    ],
)
def test_a_usage_that_cannot_be_one_is_none(usage: object):
    spent = count_of(json.dumps({"choices": [], "usage": usage}).encode()).spent

    assert (spent.input_tokens, spent.output_tokens, spent.estimated_tokens) == (N_INPUT, 0, N_INPUT)


@pytest.mark.parametrize("answer", [b"[" * 100_000, b"\xff\x00", b"[1, 2]", b"null", b"{}", b""])
def test_whatever_comes_is_counted_and_breaks_nothing(answer: bytes):
    whole = count_of(answer, block=4096).spent
    stream = count_of(b"data: " + answer + b"\n", stream=True, block=4096).spent

    assert whole.requests == stream.requests == 1
    assert whole.input_tokens == stream.input_tokens == N_INPUT


def test_what_was_said_until_it_was_cut_counts():
    answer = events(piece("x" * 28)) + b'data: {"choices": [{"delta": {"cont'

    assert count_of(answer, stream=True).spent.output_tokens == 10


def test_a_refusal_takes_a_request_and_no_tokens():
    assert count_of(b'{"error": {"message": "too long"}}', status=400).spent == ModelUsage(requests=1)


def test_an_answer_that_never_began_took_its_input_unless_the_request_was_not_taken():
    count = Count(ASKED, PRICES, most_answer_tokens=500)

    assert count.spent == PRICES.usage(N_INPUT, 0, estimated_tokens=N_INPUT)
    count.is_free = True
    assert count.spent == ModelUsage()


@pytest.mark.parametrize(
    ("asked", "n_output"),
    [
        ({}, 500),
        ({"max_tokens": 40}, 40),
        ({"max_completion_tokens": 30, "max_tokens": 40}, 40),
        ({"max_completion_tokens": 0, "max_tokens": 40}, 40),
        ({"max_tokens": 40, "n": 3}, 120),
        ({"max_tokens": "40", "n": "3"}, 500),
        ({"max_tokens": 10**400}, 500),
    ],
)
def test_what_it_could_take_is_bounded_as_the_request_bounds_it(asked: dict[str, Any], n_output: int):
    count = Count(ASKED | asked, PRICES, most_answer_tokens=500)

    assert count.most.output_tokens == n_output
    assert count.most.input_tokens == -(-len(json.dumps(ASKED | asked)) // 3)
