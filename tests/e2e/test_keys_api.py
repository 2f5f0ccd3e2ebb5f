"""API keys over REST and GraphQL: a key makes only keys that can do no more than itself, and those end with it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import UnauthenticatedError
from papergraph.server.app import create_app
from papergraph.server.auth import keys
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.keys import ApiKey, create_key, find_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.statement import Statement

FORGET = Statement("test/forget", "MATCH (n:ApiKey|Session) DELETE n")
READ, ASK, INGEST, ADMIN = KeyScope.READ, KeyScope.ASK, KeyScope.INGEST, KeyScope.ADMIN
CREATE = """
mutation ($name: String!, $scopes: [KeyScope!]!, $collections: [String!], $expires: String) {
  createApiKey(name: $name, scopes: $scopes, collections: $collections, expires: $expires) {
    ... on CreatedKey { text key { id name state scopes collections expiresAt creators } }
    ... on UserError { code message field }
  }
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def client(library: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    application = create_app(Service(library, embedder), ServerLimits(keys_required=True))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        yield client
    await library.run_alone(FORGET)


async def made(library: Database, *scopes: KeyScope, **options: Any) -> tuple[ApiKey, dict[str, str]]:
    key, text = await create_key(library, name="creator", scopes=scopes, **options)
    return key, {"X-API-Key": text}


async def create(client: httpx.AsyncClient, headers: dict[str, str], **wanted: Any) -> httpx.Response:
    return await client.post("/v1/keys", json={"name": "made"} | wanted, headers=headers)


async def test_a_key_makes_a_lesser_one_which_works_and_is_shown_once(client, library):
    creator, headers = await made(library, READ, ASK, collections=["main", "many"], expires=timedelta(days=2))

    response = await create(client, headers, scopes=["read"], collections=["many"], expires="1h")
    body = response.json()
    listed = (await client.get("/v1/keys", headers=headers)).json()["data"]
    viewer = (await client.get("/v1/viewer", headers={"X-API-Key": body["text"]})).json()
    elsewhere = await client.get("/v1/papers?collection=main", headers={"X-API-Key": body["text"]})

    assert (response.status_code, response.headers["cache-control"]) == (201, "no-store")
    assert body["key"] == {**listed[0], "lastUsedAt": None}
    assert [one["id"] for one in listed] == [body["key"]["id"]] and body["text"][12:] not in str(listed)
    assert (body["key"]["creators"], body["key"]["state"]) == ([creator.id], "valid")
    assert (viewer["name"], viewer["scopes"], viewer["collections"]) == ("made", ["read"], ["many"])
    assert elsewhere.status_code == 404


async def test_what_is_not_asked_for_is_that_of_the_creator(client, library):
    creator, headers = await made(library, READ, collections=["many"], expires=timedelta(hours=3))

    key = (await create(client, headers, scopes=["read"])).json()["key"]
    longer = (await create(client, headers, scopes=["read"], expires="8w")).json()["key"]

    assert key["collections"] == ["many"]
    assert {key["expiresAt"], longer["expiresAt"]} == {creator.expires_at.isoformat().replace("+00:00", "Z")}


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"scopes": ["ask"]}, "scopes"),
        ({"scopes": ["read", "admin"]}, "scopes"),
        ({"scopes": ["cypher"]}, "scopes"),
        ({"scopes": ["read"], "collections": ["main"]}, "collections"),
        ({"scopes": ["read"], "collections": ["many", "main"]}, "collections"),
        ({"scopes": ["read"], "collections": []}, "collections"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["read"], "expires": "soon"}, "expires"),
        ({"scopes": ["read"], "name": " "}, "name"),
    ],
)
async def test_no_key_goes_beyond_its_creator(client, library, wanted, field):
    _, headers = await made(library, READ, INGEST, collections=["many"])

    response = await create(client, headers, **wanted)
    listed = (await client.get("/v1/keys", headers=headers)).json()["data"]

    assert response.status_code == 400
    assert field in response.json()["errors"][0]["field"]
    assert listed == []


async def test_graphql_says_the_same(client, library):
    creator, headers = await made(library, READ)

    async def ask(query: str, **variables: Any) -> Any:
        response = await client.post("/graphql", json={"query": query, "variables": variables}, headers=headers)
        assert response.status_code == 200 and "errors" not in response.json(), response.text
        return response.json()["data"]

    key = (await ask(CREATE, name="made", scopes=["READ"], expires="1h"))["createApiKey"]
    beyond = (await ask(CREATE, name="made", scopes=["ADMIN"]))["createApiKey"]
    unknown = (await ask('mutation { revokeApiKey(id: "nothere0") { ... on UserError { code } } }'))["revokeApiKey"]
    revoke = f'mutation {{ revokeApiKey(id: "{key["key"]["id"]}") {{ ... on ApiKey {{ state }} }} }}'
    revoked = (await ask(revoke))["revokeApiKey"]
    listed = (await ask("{ apiKeys { id state } }"))["apiKeys"]

    assert key["text"].startswith(f"pg_{key['key']['id']}_") and key["key"]["creators"] == [creator.id]
    assert (beyond["code"], beyond["field"]) == ("BAD_USER_INPUT", "scopes")
    assert unknown == {"code": "NOT_FOUND"}
    assert revoked == {"state": "REVOKED"}
    assert listed == [{"id": key["key"]["id"], "state": "REVOKED"}]


async def test_a_key_sees_and_revokes_only_what_is_below_it_and_an_administrator_everything(client, library):
    one, mine = await made(library, READ)
    other, theirs = await made(library, READ)
    _, admins = await made(library, ADMIN)
    below = (await create(client, mine, scopes=["read"])).json()["key"]["id"]

    refused = await client.delete(f"/v1/keys/{below}", headers=theirs)
    upwards = await client.delete(f"/v1/keys/{other.id}", headers=mine)
    nothing = await client.delete("/v1/keys/nothere0", headers=mine)
    seen = {key["id"] for key in (await client.get("/v1/keys", headers=admins)).json()["data"]}

    assert {refused.status_code, upwards.status_code, nothing.status_code} == {404}
    assert (await client.get("/v1/keys", headers=theirs)).json()["data"] == []
    assert {one.id, other.id, below} <= seen
    assert (await client.delete(f"/v1/keys/{below}", headers=admins)).json()["state"] == "revoked"


async def test_a_revoked_key_takes_all_that_were_made_with_it_along(client, library):
    top, headers = await made(library, READ)
    child = (await create(client, headers, scopes=["read"])).json()
    grandchild = (await create(client, {"X-API-Key": child["text"]}, scopes=["read"])).json()

    response = await client.delete(f"/v1/keys/{top.id}", headers=headers)  # also one's own

    assert response.json()["state"] == "revoked"
    assert grandchild["key"]["creators"] == [top.id, child["key"]["id"]]
    for text in (child["text"], grandchild["text"]):
        with pytest.raises(UnauthenticatedError, match="revoked"):
            await KeyCache(library).principal(text)


async def test_a_key_that_is_revoked_meanwhile_leaves_no_valid_one_behind(client, library):
    """The process still knows the key as valid, and both happen at once: nothing made with it may outlive it."""
    top, headers = await made(library, READ)
    await client.get("/v1/viewer", headers=headers)

    answers = await asyncio.gather(
        *(create(client, headers, scopes=["read"]) for _ in range(4)),
        keys.revoke_key(library, top.id),
        *(create(client, headers, scopes=["read"]) for _ in range(4)),
    )
    late = await create(client, headers, scopes=["read"])

    texts = [one.json()["text"] for one in answers if isinstance(one, httpx.Response) and one.status_code == 201]
    states = [(await find_key(library, text[3:11])).key.state for text in texts]  # type: ignore[union-attr]
    assert late.status_code == 401
    assert set(states) <= {"revoked"}


async def test_a_key_makes_a_bounded_number_of_keys_its_descendants_included(client, library, monkeypatch):
    monkeypatch.setattr(keys, "MOST_MADE", 3)
    _, headers = await made(library, READ)
    child = {"X-API-Key": (await create(client, headers, scopes=["read"])).json()["text"]}
    first = (await create(client, child, scopes=["read"])).json()["key"]["id"]
    await create(client, child, scopes=["read"])

    full = await create(client, headers, scopes=["read"])
    await client.delete(f"/v1/keys/{first}", headers=headers)
    again = await create(client, headers, scopes=["read"])

    assert (full.status_code, full.json()["code"]) == (409, "CONFLICT")
    assert again.status_code == 201


async def test_an_administrator_makes_any_key_but_none_with_cypher_for_one_collection(client, library):
    _, headers = await made(library, ADMIN)

    wide = await create(client, headers, scopes=["read", "cypher"])
    held = await create(client, headers, scopes=["read", "cypher"], collections=["main"])

    assert wide.status_code == 201 and wide.json()["key"]["collections"] is None
    assert held.status_code == 400


async def test_a_session_makes_keys_as_its_key_does(client, library):
    creator, headers = await made(library, READ, expires=timedelta(days=9))
    await client.post("/v1/session", headers=headers)

    response = await create(client, {"sec-fetch-site": "same-origin"}, scopes=["read"])

    assert response.status_code == 201
    assert response.json()["key"]["creators"] == [creator.id]
    assert response.json()["key"]["expiresAt"] == creator.expires_at.isoformat().replace("+00:00", "Z")


async def test_a_server_that_asks_for_no_keys_makes_none(library, embedder):
    application = create_app(Service(library, embedder), ServerLimits())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        response = await create(client, {}, scopes=["admin"])

    assert (response.status_code, response.json()["code"]) == (409, "CONFLICT")
