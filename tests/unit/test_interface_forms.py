"""Forms of requests that stock clients and proxies send, at an application without a store."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

import papergraph_client
from papergraph.cli.client import http_client
from papergraph.errors import InputError
from papergraph.server.middleware.requests import RequestIds
from papergraph.server.openai.requests import Message, task_answer
from papergraph.server.process.uvicorn_server import ForwardedHeaders
from papergraph.server.rest.openapi import add_openapi
from papergraph_client.errors import ConnectionFailedError
from tests.support.bare_app import OPEN, application

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
QUESTION = "What limits the distance of surface codes?"
DEAD_PROXY = "http://127.0.0.1:9"


async def answer(method: str, path: str, *, without: tuple[str, ...] = (), **sent: Any) -> httpx.Response:
    transport = httpx.ASGITransport(application(OPEN))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        for name in without:
            del client.headers[name]
        return await client.request(method, path, **sent)


class TestMcp:
    @pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
    @pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/event-stream"])
    async def test_both_spellings_and_every_accept_are_served(self, path, accept):
        without, headers = (("accept",), {}) if accept is None else ((), {"accept": accept})

        ponged = await answer("POST", path, json=PING, without=without, headers=headers)

        assert (ponged.status_code, ponged.json()["result"]) == (200, {})

    @pytest.mark.parametrize("version", ["9999", "", "2024"])
    async def test_an_unknown_version_is_told_the_known_ones(self, version):
        refused = await answer("POST", "/mcp", json=PING, headers={"MCP-Protocol-Version": version})

        assert refused.status_code == 400
        message = refused.json()["error"]["message"]
        assert all(version in message for version in SUPPORTED_PROTOCOL_VERSIONS)


@pytest.mark.parametrize(
    "path",
    [
        "embeddings",
        "completions",
        "moderations",
        "files/x",
        "images/generations",
        "vector_stores/v1/search",
        "responses/r",
    ],
)
async def test_routes_of_openai_that_are_not_served_answer_in_its_form(path):
    refused = await answer("POST", f"/v1/{path}", json={})

    assert refused.status_code in (404, 405)
    assert refused.json()["error"].keys() >= {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("client", "prefix", "servers"),
    [
        ("127.0.0.1", "/papers/", [{"url": "/papers"}]),
        ("127.0.0.1", "//evil.example.org", None),
        ("127.0.0.1", "https://evil.example.org", None),
        ("192.0.2.1", "/papers", None),
        ("127.0.0.1", "", None),
    ],
)
async def test_the_description_of_rest_has_the_prefix_of_a_trusted_proxy(client, prefix, servers):
    described_app = FastAPI(openapi_url=None)
    add_openapi(described_app)
    described_app.openapi_schema = {"openapi": "3.1.0"}
    app: Any = ForwardedHeaders(described_app, ["127.0.0.1"])  # type: ignore[arg-type]
    transport = httpx.ASGITransport(app, client=(client, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
        described = await http.get("/openapi.json", headers={"X-Forwarded-Prefix": prefix})

    assert (described.status_code, described.json().get("servers")) == (200, servers)


@pytest.mark.parametrize(
    ("kind", "told"),
    [("text/event-stream; charset=utf-8", "no"), ("multipart/mixed; boundary=x", "no"), ("text/html", None)],
)
async def test_streams_ask_proxies_not_to_hold_them_back(kind, told):
    async def stream(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]})
        await send({"type": "http.response.body", "body": b""})

    async with httpx.AsyncClient(transport=httpx.ASGITransport(RequestIds(stream)), base_url="http://x") as client:
        assert (await client.get("/")).headers.get("x-accel-buffering") == told


class TestTasksOfChatPrograms:
    @pytest.mark.parametrize(
        ("task", "expected"),
        [
            (
                "### Task:\nGenerate a 3-5 word title with an emoji summarizing the chat history.\n### Output:\n"
                'JSON format: { "title": "your concise title here" }\n### Chat History:\n<chat_history>\n'
                f"USER: {QUESTION}\nASSISTANT: Noise [1].\n</chat_history>",
                '{"title": "Limits the distance of surface codes"}',
            ),
            (
                "### Task:\nGenerate 1-3 broad tags of the chat.\n### Output:\n"
                'JSON: { "tags": ["tag1", "tag2"] }\n### Chat History:\n<chat_history>\nUSER: hi\n</chat_history>',
                '{"tags": []}',
            ),
            (
                '### Task:\nSuggest 3-5 follow-up questions.\nJSON format: { "follow_ups": ["a"] }\n<chat_history>\n'
                f"USER: {QUESTION}\n</chat_history>",
                '{"follow_ups": []}',
            ),
            (
                "Provide a concise, 5-word-or-less title for the conversation, using its same language.\n\n"
                f"User: {QUESTION}\nAI: Noise does.",
                "Limits the distance of surface codes",
            ),
            (
                f"Write a short headline for this discussion.\n\nHuman:\n{QUESTION}",
                "Limits the distance of surface codes",
            ),
        ],
    )
    def test_a_task_is_answered_from_the_conversation(self, task, expected):
        assert task_answer([Message(role="user", content=task)]) == expected

    def test_the_conversation_may_be_the_messages_before(self):
        messages = [
            Message(role="user", content="Is tabu search better than annealing?"),
            Message(role="assistant", content="On dense problems [1]."),
            Message(role="user", content="Create a title of at most five words for our conversation, without quotes."),
        ]

        assert task_answer(messages) == "Tabu search better than annealing"

    @pytest.mark.parametrize(
        "question",
        [
            QUESTION,
            "Which papers give the title of a data set?",
            "Summarize the chat protocol of the second paper.",
            "Write a title for a paper about tides.",
            "What do the authors suggest as a topic of discussion?",
        ],
    )
    def test_a_question_of_a_person_is_none(self, question):
        assert task_answer([Message(role="user", content=question)]) is None

    def test_a_long_history_does_not_matter(self):
        task = f"Generate a title for the chat.\n<chat_history>\nUSER: {QUESTION}\n{'word ' * 5000}</chat_history>"

        assert task_answer([Message(role="user", content=task)]) == "Limits the distance of surface codes"


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY", "no_proxy")


class TestProxies:
    @pytest.fixture(autouse=True)
    def _no_proxies(self, monkeypatch):
        for name in PROXIES:
            monkeypatch.delenv(name, raising=False)

    @staticmethod
    def proxied(client: httpx.Client, url: str) -> bool:
        return client._transport_for_url(httpx.URL(url)) is not client._transport

    @pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
    @pytest.mark.parametrize("proxy", [DEAD_PROXY, "socks5://127.0.0.1:9", "socks5h://127.0.0.1:9"])
    def test_the_own_machine_is_reached_without_and_others_through_a_proxy(self, monkeypatch, name, proxy):
        monkeypatch.setenv(name, proxy)

        for url in ("http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"):
            with http_client(url, timeout_s=1.0) as client:
                assert not self.proxied(client, url)
            with papergraph_client.Papergraph(url) as own:
                assert not self.proxied(own._transport.http, url)
        with http_client("http://papers.example.org", timeout_s=1.0) as client:
            assert self.proxied(client, "http://papers.example.org")

    def test_a_proxy_that_cannot_be_one_is_named(self, monkeypatch):
        monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")

        with pytest.raises(InputError, match=r"the proxy of ALL_PROXY cannot be used: .* Unset it"):
            http_client("https://papers.example.org", timeout_s=1.0)
        with pytest.raises(ConnectionFailedError, match="A proxy of the environment cannot be used"):
            papergraph_client.Papergraph("https://papers.example.org")


def test_a_title_is_json_where_json_is_wanted():
    task = f'Generate a title of the chat as {{ "title": "…" }}.\nUSER: Wie „groß“ sind Flächencodes?\n{QUESTION}'

    assert task_answer([Message(role="user", content=task)]) == '{"title": "Wie „groß“ sind Flächencodes"}'
