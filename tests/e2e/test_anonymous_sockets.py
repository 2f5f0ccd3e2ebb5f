"""WebSockets that show no key, and unfinished requests: neither keeps anybody with a key out."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.rate_limits import ANONYMOUS_OF_ONE
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.server.process import uvicorn_server as http_protocol
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving

NEW = Subprotocol("graphql-transport-ws")
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
POLICY = ServerLimits(keys_required=True, requests_at_once=16, all_requests_at_once=16, proxies=("127.0.0.1",))


@pytest_asyncio.fixture
async def url(library: Database, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setattr(http_protocol, "IDLE_S", 5)
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock, POLICY), asyncio.timeout(120):
            yield url_of(sock)


async def opened(url: str, address: str, headers: Mapping[str, str] | None = None) -> ClientConnection | None:
    """Return a WebSocket that has said nothing yet, None where the server refuses it."""
    address_of_graphql = url.replace("http", "ws") + "/graphql"
    try:
        return await connect(
            address_of_graphql, subprotocols=[NEW], local_addr=(address, 0), additional_headers=headers
        )
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return None


@pytest.mark.slow
async def test_200_anonymous_sockets_of_three_addresses_keep_no_valid_key_out(library: Database, url: str):
    _, key = await create_key(library, name="reader", scopes=[KeyScope.READ])

    tried = await asyncio.gather(*(opened(url, ADDRESSES[number % 3]) for number in range(200)))
    sockets = [socket for socket in tried if socket is not None]
    async with httpx.AsyncClient(base_url=url, headers={"X-API-Key": key}, timeout=30) as client:
        answers = await asyncio.gather(*(client.get("/v1/pipelines") for _ in range(12)))
    closed = await asyncio.gather(*(socket.recv() for socket in sockets), return_exceptions=True)
    again = await opened(url, ADDRESSES[0])

    assert len(sockets) == 3 * ANONYMOUS_OF_ONE
    assert [answer.status_code for answer in answers] == [200] * 12
    assert {error.rcvd.code for error in closed if isinstance(error, ConnectionClosed) and error.rcvd} == {4408}
    assert again is not None
    await again.close()


async def test_a_socket_leaves_the_handshakes_once_it_has_shown_its_key(library: Database, url: str):
    _, key = await create_key(library, name="reader", scopes=[KeyScope.READ])
    sockets = []

    for _ in range(ANONYMOUS_OF_ONE + 2):
        socket = await opened(url, ADDRESSES[0])
        assert socket is not None
        await socket.send(json.dumps({"type": "connection_init", "payload": {"x-api-key": key}}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
        sockets.append(socket)
    async with httpx.AsyncClient(base_url=url, headers={"X-API-Key": key}) as client:
        full = [(await client.get("/v1/pipelines")).status_code]
        anonymous = await opened(url, ADDRESSES[0])
        for socket in sockets:
            await socket.close()

    assert full == [200]
    assert anonymous is not None
    await anonymous.close()


async def test_the_network_is_that_which_a_trusted_proxy_names(url: str):
    sent = {"X-Forwarded-For": "2001:db8:1:2::7"}
    near = [await opened(url, "127.0.0.1", sent) for _ in range(ANONYMOUS_OF_ONE + 1)]
    another = await opened(url, "127.0.0.1", {"X-Forwarded-For": "2001:db8:1:3::7"})
    lied = [await opened(url, "127.0.0.2", {"X-Forwarded-For": f"10.0.0.{number}"}) for number in range(9)]

    assert near[-1] is None and None not in near[:-1]
    assert another is not None
    assert lied[-1] is None and None not in lied[:-1]  # 127.0.0.2 is no proxy
    for socket in (*near, another, *lied):
        if socket is not None:
            await socket.close()


@pytest.mark.slow
async def test_an_unfinished_head_is_ended(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http_protocol, "HEAD_S", 0.5)
    finished = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answers: dict[str, Any] = {}
    for name, sent in {
        "nothing": b"",
        "half": finished[:-2],
        "second": finished + b"GET /",
        "empty line": finished + b"\r\n",
        "long": finished[:-2] + b"X-Long: " + b"x" * 400_000,
    }.items():
        reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(url).port)
        writer.write(sent)
        async with asyncio.timeout(30):
            try:
                answers[name] = (await reader.read()).decode()
            except ConnectionResetError:  # what was not read any more
                answers[name] = "reset"
        writer.close()

    assert "408" in answers["nothing"].splitlines()[0]
    assert "408" in answers["half"].splitlines()[0]
    assert answers["second"].startswith("HTTP/1.1 200") and "HTTP/1.1 408" in answers["second"]
    assert answers["empty line"].startswith("HTTP/1.1 200")
    assert answers["long"] == "reset" or "400" in answers["long"].splitlines()[0]
