"""Sessions of browsers over HTTP: how they begin, for whom they count, and how they end."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.app import create_app
from papergraph.server.auth import credentials
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key, revoke_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.statement import Statement

REQUIRED = ServerLimits(keys_required=True)
COOKIE = "papergraph-session"
EXPIRE = Statement("test/expire", "MATCH (s:Session) SET s.expiresAt = datetime() - duration('PT1S') RETURN 1")
SESSIONS = Statement("test/sessions", "MATCH (s:Session {keyId: $id}) RETURN count(s) AS n")
EVERYTHING = Statement("test/all", "MATCH (s:Session) RETURN collect(properties(s)) AS all")
FORGET = Statement("test/forget", "MATCH (n:ApiKey|Session) DELETE n")
OWN = {"sec-fetch-site": "same-origin"}


def client_of(database: Database, embedder: Embedder, policy: ServerLimits = REQUIRED) -> httpx.AsyncClient:
    application = create_app(Service(database, embedder), policy)
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


@pytest_asyncio.fixture(loop_scope="session")
async def client(library: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(library, embedder) as client:
        yield client
    await library.run_alone(FORGET)


async def key_of(library: Database, *scopes: KeyScope, **options: object) -> str:
    _, text = await create_key(library, name="a reader", scopes=scopes or (KeyScope.READ,), **options)  # type: ignore[arg-type]
    return text


async def log_in(client: httpx.AsyncClient, key: str) -> httpx.Response:
    response = await client.post("/v1/session", headers={"Authorization": f"Bearer {key}"} | OWN)
    assert response.status_code == 201, response.text
    return response


async def test_a_key_is_exchanged_for_a_cookie_that_is_good_for_the_same(client, library):
    key = await key_of(library, collections=["main"])

    begun = await log_in(client, key)
    viewer = (await client.get("/v1/viewer", headers=OWN)).json()
    asked = await client.post("/graphql", json={"query": "{ papers { totalCount } }"}, headers=OWN)
    refused = await client.get("/v1/jobs", headers=OWN)

    cookie = begun.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=ps_") and cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert begun.headers["cache-control"] == "no-store" and key not in begun.text + cookie
    ends = datetime.fromisoformat(begun.json()["expiresAt"]) - datetime.now(UTC)
    assert timedelta(hours=11, minutes=59) < ends <= timedelta(hours=12)
    assert (viewer["name"], viewer["scopes"], viewer["collections"]) == ("a reader", ["read"], ["main"])
    assert asked.json()["data"]["papers"]["totalCount"] > 0
    assert refused.status_code == 403


async def test_a_session_ends_no_later_than_its_key(client, library):
    begun = await log_in(client, await key_of(library, expires=timedelta(hours=1)))

    assert datetime.fromisoformat(begun.json()["expiresAt"]) - datetime.now(UTC) <= timedelta(hours=1)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://localhost:3000"},
        {"origin": "http://localhost:3000"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ],
)
async def test_pages_elsewhere_can_do_nothing_with_a_session(client, library, headers):
    await log_in(client, await key_of(library, KeyScope.ADMIN))

    read = await client.get("/v1/papers", headers=headers)
    changed = await client.post("/v1/keys", json={"name": "x", "scopes": ["read"]}, headers=headers)
    form = await client.post("/v1/uploads", files={"file": ("a.md", b"# A")}, headers=headers)

    assert read.status_code == 401
    assert {changed.status_code, form.status_code} <= {401, 403}


async def test_pages_of_an_allowed_origin_bring_keys_and_no_session(library, embedder):
    policy = ServerLimits(keys_required=True, origins=("http://localhost:5173",))
    there = {"origin": "http://localhost:5173", "sec-fetch-site": "same-site"}
    async with client_of(library, embedder, policy) as client:
        key = await key_of(library)
        await log_in(client, key)

        by_cookie = await client.post("/graphql", json={"query": "{ __typename }"}, headers=there)
        by_key = await client.post("/graphql", json={"query": "{ __typename }"}, headers=there | {"X-API-Key": key})

    assert (by_cookie.status_code, by_key.status_code) == (401, 200)
    assert "access-control-allow-credentials" not in by_key.headers


async def test_without_a_word_of_the_origin_a_session_reads_and_changes_nothing(client, library):
    await log_in(client, await key_of(library, KeyScope.ADMIN))

    assert (await client.get("/v1/papers")).status_code == 200
    assert (await client.post("/v1/keys", json={"name": "x", "scopes": ["read"]})).status_code == 401


async def test_a_key_is_no_cookie_and_a_session_is_no_header(client, library):
    key = await key_of(library)
    await log_in(client, key)
    session = client.cookies.get(COOKIE)
    client.cookies.clear()

    answers = [
        await client.get("/v1/papers", headers={"Authorization": f"Bearer {session}"}),
        await client.get("/v1/papers", headers={"X-API-Key": session}),
        await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={key}"}),
        await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={session[:-1]}x"}),
        await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}=ps_{session[3:19]}_{'x' * 43}"}),
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert (await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={session}"})).status_code == 200


async def test_logging_in_gives_a_new_session_and_ends_the_one_that_the_browser_had(client, library):
    await log_in(client, await key_of(library))
    planted = client.cookies.get(COOKIE)

    await log_in(client, await key_of(library))
    fresh = client.cookies.get(COOKIE)
    made_up = f"ps_{'a' * 16}_{'b' * 43}"
    client.cookies.clear()
    adopted = await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={made_up}"})

    assert planted != fresh
    assert adopted.status_code == 401
    assert (await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={planted}"})).status_code == 401


async def test_a_session_begins_no_other_one_and_is_not_prolonged(client, library):
    await log_in(client, await key_of(library))

    again = await client.post("/v1/session", headers=OWN)

    assert (again.status_code, again.json()["code"]) == (409, "CONFLICT")


async def test_logging_out_ends_the_session_at_once_and_takes_the_cookie(client, library):
    await log_in(client, await key_of(library))
    session = client.cookies.get(COOKIE)

    left = await client.delete("/v1/session", headers=OWN)
    after = await client.get("/v1/papers", headers={"Cookie": f"{COOKIE}={session}"})
    (kept,) = await library.read(EVERYTHING)

    assert left.status_code == 204
    assert left.headers["set-cookie"].startswith(f"{COOKIE}=; Max-Age=0;")
    assert (after.status_code, after.json()["detail"]) == (401, "The session is not valid.")
    assert session[3:19] not in json.dumps(kept["all"], default=str)


async def test_a_revoked_key_ends_its_sessions_in_time(library, embedder, monkeypatch):
    monkeypatch.setattr(credentials.KeyCache.__init__, "__kwdefaults__", {"kept_s": 0.3})
    async with client_of(library, embedder) as client:
        key = await key_of(library)
        await log_in(client, key)
        before = await client.get("/v1/papers")
        await revoke_key(library, key)
        await asyncio.sleep(0.4)

        after = await client.get("/v1/papers")

    assert credentials.KEPT_S <= 5.0
    assert (before.status_code, after.status_code) == (200, 401)
    assert after.json()["detail"] == "The session is revoked."


async def test_an_expired_session_is_refused(library, embedder, client):
    await log_in(client, await key_of(library))
    await library.run_alone(EXPIRE)
    async with client_of(library, embedder) as other:
        other.cookies = client.cookies
        answer = await other.get("/v1/papers")

    assert (answer.status_code, answer.json()["detail"]) == (401, "The session is expired.")


async def test_a_key_has_a_bounded_number_of_sessions_and_their_secrets_are_not_kept(client, library):
    key = await key_of(library)
    texts = []
    for _ in range(23):
        await log_in(client, key)
        texts.append(client.cookies.get(COOKIE))
        client.cookies.clear()

    (counted,) = await library.read(SESSIONS, id=key[3:11])
    (kept,) = await library.read(EVERYTHING)

    assert counted["n"] == 20
    assert not any(text[20:] in json.dumps(kept["all"], default=str) for text in texts)


async def test_a_server_without_keys_has_no_sessions(library, embedder):
    async with client_of(library, embedder, ServerLimits()) as client:
        answer = await client.post("/v1/session")
        left = await client.delete("/v1/session")

    assert (answer.status_code, answer.json()["code"]) == (409, "CONFLICT")
    assert "set-cookie" not in answer.headers
    assert left.status_code == 204


async def test_a_web_socket_comes_in_with_a_session_of_its_own_origin_only(library, embedder):
    key = await key_of(library)
    protocols = [Subprotocol("graphql-transport-ws")]
    with listen("127.0.0.1", 0) as sock:
        url = url_of(sock)
        async with serving(Service(library, embedder), sock, REQUIRED), asyncio.timeout(60):
            async with httpx.AsyncClient(base_url=url) as client:
                await log_in(client, key)
                sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
            address = url.replace("http", "ws") + "/graphql"
            async with connect(address, subprotocols=protocols, additional_headers=sent, origin=Origin(url)) as socket:
                await socket.send(json.dumps({"type": "connection_init"}))
                acknowledged = json.loads(await socket.recv())
                asked = {"id": "1", "type": "subscribe", "payload": {"query": "{ viewer { name } }"}}
                await socket.send(json.dumps(asked))
                answered = json.loads(await socket.recv())
            elsewhere = Origin("http://127.0.0.1:1")
            with pytest.raises(InvalidStatus):
                await connect(address, subprotocols=protocols, additional_headers=sent, origin=elsewhere)

    assert acknowledged["type"] == "connection_ack"
    assert answered["payload"]["data"]["viewer"]["name"] == "a reader"
