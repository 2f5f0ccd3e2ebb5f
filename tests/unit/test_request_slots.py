"""Slots of requests: none before the body is complete, and a quarter is kept for accounts that hold few."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.rate_limits import UPLOADS_OF_ONE, RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.middleware import requests
from papergraph.server.middleware.requests import RequestBodies, RequestSlots
from papergraph.shared_counters import SMALL_SLOTS, Shared

OF_ONE, OF_ALL = 64, 128
UPLOADS = "/v1/uploads"
ATTACKER, OTHER = (Principal(id, frozenset({KeyScope.READ}), account=id) for id in ("attacker", "other"))
NOBODY = Principal("10.0.0.1", frozenset(), ())


@dataclass
class Server:
    """Bodies and slots in front of an application that answers 200 once it may go on."""

    limits: RateLimiter = field(
        default_factory=lambda: RateLimiter(ServerLimits(requests_at_once=OF_ONE, all_requests_at_once=OF_ALL))
    )
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    n_inside: int = 0
    bodies: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        slots = RequestSlots(self._answer, limits=self.limits, streamed=[UPLOADS])
        self._app = RequestBodies(slots, limits=self.limits, max_bytes=1000, streamed={UPLOADS: 1000})

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.n_inside += 1
        body, more = b"", scope["method"] == "POST"
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.bodies.append(body)
        await self.go_on.wait()
        self.n_inside -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask(
        self, principal: Principal, pieces: AsyncIterator[bytes] | Sequence[bytes] = (b"{}",), *, path: str = "/graphql"
    ) -> tuple[int, dict[str, str]]:
        """Send a request whose body comes in pieces; return status and headers."""
        coming = pieces if isinstance(pieces, AsyncIterator) else _at_once(pieces)
        answer: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            piece = await anext(coming, None)
            return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

        async def send(message: dict[str, Any]) -> None:
            answer.update(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "state": {"principal": principal}}
        await self._app(scope, receive, send)  # type: ignore[arg-type]
        return answer["status"], {name.decode(): value.decode() for name, value in answer["headers"]}


async def _at_once(pieces: Sequence[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def byte_by_byte(seconds: float = 0.005) -> AsyncIterator[bytes]:
    while True:
        yield b" "
        await asyncio.sleep(seconds)


async def all_but_the_end() -> AsyncIterator[bytes]:
    yield b'{"query": "{ papers { totalCount } }"'
    await asyncio.Event().wait()


async def empty_pieces() -> AsyncIterator[bytes]:
    while True:
        yield b""
        await asyncio.sleep(0.005)


async def beginning_with_white_space() -> AsyncIterator[bytes]:
    yield b" " * 900
    await asyncio.Event().wait()


SLOW: dict[str, Callable[[], AsyncIterator[bytes]]] = {
    "nothing": nothing,
    "byte by byte": byte_by_byte,
    "all but the end": all_but_the_end,
    "empty pieces": empty_pieces,
    "white space": beginning_with_white_space,
}
PATHS = ["/graphql", "/v1/search", "/v1/ask", "/mcp", "/v1/chat/completions"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "BODY_S", 0.05)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", SLOW)
async def test_bodies_on_200_sockets_hold_no_slot_and_end_in_time(quick, kind: str, path: str):
    server = Server()
    server.go_on.set()
    slow = [asyncio.create_task(server.ask(ATTACKER, SLOW[kind](), path=path)) for _ in range(200)]
    await settle()
    searches = [await server.ask(OTHER) for _ in range(20)]
    statuses = [(await one)[0] for one in slow]
    again = await server.ask(ATTACKER)

    assert [status for status, _ in (*searches, again)] == [200] * 21
    assert set(statuses) == {408, 429} and statuses.count(408) == OF_ONE


async def test_an_answer_to_an_incomplete_request_closes_the_connection(quick):
    late = await Server().ask(ATTACKER, nothing())
    large = await Server().ask(ATTACKER, [b" " * 600, b" " * 600])

    assert [(status, headers["connection"]) for status, headers in (late, large)] == [(408, "close"), (413, "close")]


async def test_bodies_of_clients_without_a_key_are_bounded_by_network(quick):
    server = Server()
    slow = [asyncio.create_task(server.ask(NOBODY, nothing(), path="/v1/sign-up")) for _ in range(50)]
    await settle()
    server.go_on.set()
    others = [await server.ask(one) for one in (OTHER, Principal("10.0.0.2", frozenset(), ()))]
    statuses = [(await one)[0] for one in slow]

    assert [status for status, _ in others] == [200, 200]
    assert (statuses.count(408), statuses.count(429)) == (8, 42)


async def test_arriving_files_hold_slots_of_uploads_only():
    server = Server()
    slow = [asyncio.create_task(server.ask(ATTACKER, nothing(), path=UPLOADS)) for _ in range(50)]
    await settle()
    server.go_on.set()
    mine, theirs = await server.ask(ATTACKER), await server.ask(OTHER, [b"file"], path=UPLOADS)
    refused = [one.result()[0] for one in slow if one.done()]
    for one in slow:
        one.cancel()
    await asyncio.gather(*slow, return_exceptions=True)

    assert (mine[0], theirs[0]) == (200, 200)
    assert refused == [429] * (50 - UPLOADS_OF_ONE)
    assert (await server.ask(ATTACKER, [b"file"], path=UPLOADS))[0] == 200


async def test_a_body_in_pieces_arrives_whole():
    server = Server()
    server.go_on.set()
    text = json.dumps({"query": "x" * 100}).encode()
    await server.ask(OTHER, [text[at : at + 7] for at in range(0, len(text), 7)])
    assert server.bodies == [text]


@pytest.mark.parametrize("n_accounts", [2, 3, 5, 12])
@pytest.mark.parametrize("is_shared", [False, True])
def test_a_quarter_of_the_slots_is_kept_for_accounts_that_hold_few(tmp_path, n_accounts: int, *, is_shared: bool):
    with closing(Shared(tmp_path / "counts", 0)) as shared, ExitStack() as held:
        policy = ServerLimits(requests_at_once=OF_ONE, all_requests_at_once=OF_ALL)
        limits = RateLimiter(policy, shared if is_shared else None)
        greedy = [Principal(f"greedy {number}", frozenset()) for number in range(n_accounts)]
        n_held = 0
        for principal in greedy:
            try:
                for _ in range(OF_ONE + 1):
                    held.enter_context(limits.place(principal))
                    n_held += 1
            except (RateLimitedError, OverloadedError):
                pass
        n_small = max(0, n_accounts - 2) * SMALL_SLOTS
        assert n_held <= OF_ALL * 3 // 4 + n_small

        n_free = (OF_ALL - n_held) // (SMALL_SLOTS - 1)
        for number in range(n_free):
            for _ in range(SMALL_SLOTS - 1):
                held.enter_context(limits.place(Principal(f"small {number}", frozenset())))
