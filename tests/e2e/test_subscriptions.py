"""What can be followed, over each of the protocols, on real sockets."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.keys import create_key, revoke_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from tests.support.files import write
from tests.support.ingestion import enqueue

pytestmark = pytest.mark.slow

PROGRESS = "subscription ($id: ID!) { jobProgress(id: $id) { state } }"
ANSWER = """subscription ($id: String!) { answer(input: {question: $id}) { __typename
  ... on SourcesEvent { sources { number } }
  ... on DeltaEvent { text }
  ... on CitationEvent { citation { quote chunk { text } start end } }
  ... on DoneEvent { result { ... on Answer { text } } }
} }"""
WRONG = "pg_abcdefgh_" + "x" * 43
NEW = Subprotocol("graphql-transport-ws")
Follow = Callable[..., AsyncIterator[dict[str, Any]]]


async def by_events(url: str, id: str, query: str = PROGRESS) -> AsyncIterator[dict[str, Any]]:
    """Follow by server-sent events."""
    async for line in lines_of(url, id, "text/event-stream", query):
        if line.startswith("data:") and (data := line.removeprefix("data:").strip()):
            yield json.loads(data)


async def by_parts(url: str, id: str, query: str = PROGRESS) -> AsyncIterator[dict[str, Any]]:
    """Follow by a multipart answer."""
    async for line in lines_of(url, id, "multipart/mixed;subscriptionSpec=1.0", query):
        if line.startswith("{") and (payload := json.loads(line).get("payload")):
            yield payload


async def by_socket(url: str, id: str, query: str = PROGRESS) -> AsyncIterator[dict[str, Any]]:
    """Follow over a WebSocket."""
    async with connect(url.replace("http", "ws") + "/graphql", subprotocols=[NEW]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
        payload = {"query": query, "variables": {"id": id}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        while (message := json.loads(await socket.recv()))["type"] == "next":
            yield message["payload"]
        assert message["type"] == "complete"


async def lines_of(url: str, id: str, accept: str, query: str) -> AsyncIterator[str]:
    body = {"query": query, "variables": {"id": id}}
    async with (
        httpx.AsyncClient(base_url=url, timeout=20) as client,
        client.stream("POST", "/graphql", json=body, headers={"Accept": accept}) as response,
    ):
        assert response.status_code == 200
        assert response.headers["x-content-type-options"] == "nosniff"
        async for line in response.aiter_lines():
            yield line


@pytest_asyncio.fixture
async def quick(library: Database) -> AsyncIterator[Database]:
    """The library by a connection of short deadlines, which streams outlive."""
    login = library.login
    assert login is not None
    async with await Database.connect(
        login.uri, user=login.user, password=login.password, name=login.database, deadline_s=3.0
    ) as database:
        yield database


@pytest_asyncio.fixture
async def job(library: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[str]:
    """A job that nobody works on."""
    opened = await enqueue(library, embedder, [write(tmp_path / "a.md", "# A\n\nText.\n")], collection="followed")
    yield opened.id
    await jobs.cancel(library, opened.id)
    await jobs.forget(library, opened.id)


@pytest.mark.parametrize("follow", [by_events, by_parts, by_socket])
async def test_a_job_is_followed_to_its_end_for_longer_than_a_request_may_take(
    quick: Database, embedder: Embedder, job: str, follow: Follow
):
    told = []
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(quick, embedder), sock):
            async with asyncio.timeout(20):
                async for answer in follow(url_of(sock), job):
                    told.append(answer["data"]["jobProgress"]["state"])
                    if len(told) == 1:
                        await asyncio.sleep(quick.deadline_s + 1.5)
                        await jobs.cancel(quick, job)

    assert told == ["QUEUED", "CANCELLED"]


async def test_tasks_of_a_followed_job_are_those_of_its_progress(library: Database, embedder: Embedder, job: str):
    query = "subscription ($id: ID!) { jobProgress(id: $id) { state tasks { nodes { state } } } }"
    told = []
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock), asyncio.timeout(20):
            async for answer in by_socket(url_of(sock), job, query):
                told.append(answer["data"]["jobProgress"])
                if len(told) == 1:
                    await jobs.cancel(library, job)

    assert [(one["state"], one["tasks"]["nodes"]) for one in told] == [
        ("QUEUED", [{"state": "QUEUED"}]),
        ("CANCELLED", [{"state": "CANCELLED"}]),
    ]


@pytest.mark.parametrize("follow", [by_events, by_parts, by_socket])
async def test_an_answer_comes_in_order_and_its_pieces_are_its_text(
    library: Database, embedder: Embedder, follow: Follow
):
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock):
            async with asyncio.timeout(30):
                question = "How many physical qubits does a distance-7 surface code patch need?"
                told = [answer["data"]["answer"] async for answer in follow(url_of(sock), question, ANSWER)]

    kinds = [one["__typename"] for one in told]
    assert kinds[0] == "SourcesEvent" and kinds[-1] == "DoneEvent"
    assert set(kinds[1:-1]) == {"DeltaEvent", "CitationEvent"}
    cited = [one["citation"] for one in told if one["__typename"] == "CitationEvent"]
    assert all(one["chunk"]["text"][one["start"] : one["end"]] == one["quote"] for one in cited)
    assert "".join(one.get("text", "") for one in told) == told[-1]["result"]["text"] != ""


@pytest.mark.parametrize("follow", [by_events, by_parts, by_socket])
async def test_who_follows_nothing_is_told_so(library: Database, embedder: Embedder, follow: Follow):
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock), asyncio.timeout(20):
            answers = [answer async for answer in follow(url_of(sock), "elsewhere")]

    (error,) = answers[0]["errors"]
    assert error["extensions"]["code"] == "NOT_FOUND"
    assert error["extensions"]["requestId"]


@pytest.mark.parametrize("follow", [by_events, by_parts, by_socket])
async def test_nothing_is_asked_for_a_follower_that_has_gone(
    library: Database, embedder: Embedder, job: str, follow: Follow, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("papergraph.ingest.jobs.queue.FOLLOWED_EVERY_S", 0.05)
    monkeypatch.setattr("papergraph.ingest.jobs.queue.FOLLOWED_AT_LEAST_EVERY_S", 0.05)
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock):
            following = follow(url_of(sock), job)
            await anext(following)
            await following.aclose()  # type: ignore[attr-defined]
            await settled(lambda: library.n_queries)


async def settled(number: Callable[[], int], *, within_s: float = 10.0) -> None:
    """Wait until a number that went up ten times a second stays as it is for a second."""
    async with asyncio.timeout(within_s):
        before = -1
        while before != (before := number()):  # noqa: ASYNC110 what is waited for is that nothing happens
            await asyncio.sleep(1.0)


@pytest.mark.parametrize(
    "protocols, headers", [([Subprotocol("graphql-ws")], {}), ([NEW], {"Origin": "https://example.org"})]
)
async def test_the_old_protocol_and_pages_from_elsewhere_are_turned_away(
    library: Database, embedder: Embedder, protocols: Sequence[Subprotocol], headers: dict[str, str]
):
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock):
            with pytest.raises((InvalidStatus, ConnectionClosed)):
                address = url_of(sock).replace("http", "ws") + "/graphql"
                async with connect(address, subprotocols=protocols, additional_headers=headers) as socket:
                    await socket.send(json.dumps({"type": "connection_init"}))
                    await socket.recv()


@pytest_asyncio.fixture
async def locked(library: Database, embedder: Embedder) -> AsyncIterator[str]:
    """The address of sockets of a server that asks for keys."""
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock, ServerLimits(keys_required=True)), asyncio.timeout(60):
            yield url_of(sock).replace("http", "ws") + "/graphql"


async def first_answer(url: str, job: str, *, header: str = "", shown: Any = None) -> dict[str, Any]:
    """Return the first answer of a subscription, with a key in a header or in the first message."""
    headers = {"Authorization": f"Bearer {header}"} if header else {}
    async with connect(url, subprotocols=[NEW], additional_headers=headers) as socket:
        await socket.send(json.dumps({"type": "connection_init"} | ({} if shown is None else {"payload": shown})))
        await socket.recv()
        payload = {"query": PROGRESS, "variables": {"id": job}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        answer: dict[str, Any] = json.loads(await socket.recv())
        return answer


async def test_where_keys_are_needed_a_socket_needs_one_with_the_scope(library: Database, locked: str, job: str):
    _, reader = await create_key(library, name="reader", scopes=[KeyScope.READ])
    _, worker = await create_key(library, name="worker", scopes=[KeyScope.INGEST])

    refused = await first_answer(locked, job, header=reader)
    told = await first_answer(locked, job, header=worker)
    in_the_first_message = await first_answer(locked, job, shown={"Authorization": f"Bearer {worker}"})
    likewise = await first_answer(locked, job, shown={"x-api-key": worker})
    narrow = await first_answer(locked, job, shown={"authorization": f"Bearer {reader}"})

    assert "FORBIDDEN" in json.dumps(refused) and "FORBIDDEN" in json.dumps(narrow)
    for answer in (told, in_the_first_message, likewise):
        assert answer["payload"]["data"]["jobProgress"]["state"] == "QUEUED"


@pytest.mark.parametrize(
    "shown",
    [None, {}, {"Authorization": "Bearer pg_abcdefgh_" + "x" * 43}, {"Authorization": 7}, {"authorization": "é"}],
)
async def test_a_socket_that_shows_no_valid_key_is_closed(locked: str, job: str, shown: Any):
    with pytest.raises(ConnectionClosed) as caught:
        await first_answer(locked, job, shown=shown)

    assert caught.value.rcvd is not None and caught.value.rcvd.code == 4403


async def test_a_wrong_key_in_a_header_is_not_made_good_by_another_in_the_first_message(
    library: Database, locked: str, job: str
):
    _, worker = await create_key(library, name="worker", scopes=[KeyScope.INGEST])

    with pytest.raises(InvalidStatus):
        await first_answer(locked, job, header=WRONG, shown={"x-api-key": worker})


async def test_a_socket_that_asks_before_it_has_shown_its_key_is_closed(locked: str, job: str):
    async with connect(locked, subprotocols=[NEW]) as socket:
        payload = {"query": PROGRESS, "variables": {"id": job}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        with pytest.raises(ConnectionClosed) as caught:
            await socket.recv()

    assert caught.value.rcvd is not None and caught.value.rcvd.code == 4401


async def test_a_key_that_is_revoked_hears_nothing_more(
    library: Database, locked: str, job: str, monkeypatch: pytest.MonkeyPatch
):
    key, worker = await create_key(library, name="worker", scopes=[KeyScope.INGEST])
    monkeypatch.setattr(KeyCache, "_find", lambda self, id, find: find(library, id))  # it believes what it read for 5 s
    async with connect(locked, subprotocols=[NEW], additional_headers={"X-API-Key": worker}) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        await socket.recv()
        payload = {"query": PROGRESS, "variables": {"id": job}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        before = json.loads(await socket.recv())
        await revoke_key(library, key.id)
        await jobs.cancel(library, job)
        after = json.loads(await socket.recv())

    assert before["payload"]["data"]["jobProgress"]["state"] == "QUEUED"
    assert "UNAUTHENTICATED" in json.dumps(after) and "CANCELLED" not in json.dumps(after)
