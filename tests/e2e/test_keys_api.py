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
from papergraph.server.auth.access import KeyScope, Role
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.keys import ApiKey, create_key, find_key, set_role
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from papergraph.statement import Statement
from tests.support.servers import NOWHERE

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


ROLE_TABLE = """
operation                               none  read  annotate  edit  administer
GET /v1/papers?collection=many          404   200   200       200   200
GET /v1/annotations?collection=many     404   200   200       200   200
POST /v1/annotations                    403   403   404       404   404
GET /v1/enrichments/estimate?collection=many 403 403  403    200   200
DELETE /v1/papers/NOWHERE               403   403   403       404   404
POST /v1/jobs                           403   403   403       400   400
GET /v1/collections/many/roles          403   403   403       403   200
PUT /v1/collections/many/roles/nothere0 403   403   403       403   404
DELETE /v1/collections/elsewhere        403   403   403       403   404
deletePaper                             403   403   403       404   404
annotate                                403   403   404       404   404
setRole                                 403   403   403       403   404
"""
"""Status of each operation by the role in ``many``; for GraphQL that of its error."""

BODIES = {
    "POST /v1/annotations": {"papers": [NOWHERE], "kind": "star"},
    "POST /v1/jobs": {"sources": []},
    "PUT /v1/collections/many/roles/nothere0": {"role": "read"},
}
MUTATIONS = {
    "deletePaper": f'mutation {{ deletePaper(id: "{NOWHERE}") {{ ... on UserError {{ code }} }} }}',
    "annotate": f'mutation {{ annotate(annotation: {{ papers: ["{NOWHERE}"], kind: STAR }}) '
    "{ ... on UserError { code } } }",
    "setRole": 'mutation { setRole(collection: "many", key: "nothere0", role: READ) { ... on UserError { code } } }',
}


@pytest.mark.parametrize("role", ["none", "read", "annotate", "edit", "administer"])
async def test_a_role_decides_what_its_account_may_do_in_the_collection(client, library, role):
    key, headers = await made(library, READ, collections=["main"])
    if role != "none":
        await set_role(library, key.id, "many", Role(role))
    head, *lines = ROLE_TABLE.strip("\n").splitlines()
    column = head.split().index(role) - 1

    for line in lines:
        name, *statuses = line.rsplit(maxsplit=5)
        expected = int(statuses[column])
        if name in MUTATIONS:
            answer = (await client.post("/graphql", json={"query": MUTATIONS[name]}, headers=headers)).json()
            refused = [error["extensions"]["code"] for error in answer.get("errors", ())]
            codes = refused or [one["code"] for one in answer["data"].values()]
            assert codes == [{403: "FORBIDDEN", 404: "NOT_FOUND"}[expected]], line
        else:
            method, path = name.replace("NOWHERE", NOWHERE).split()
            answered = await client.request(method, path, json=BODIES.get(name), headers=headers)
            assert answered.status_code == expected, (line, answered.text)


async def test_a_role_also_takes_rights_and_keys_made_with_the_account_get_no_more(client, library, embedder):
    key, headers = await made(library, READ, INGEST, collections=["main", "many"])
    child = (await create(client, headers, scopes=["read", "ingest"])).json()["text"]
    lesser = (await create(client, headers, scopes=["read"])).json()["text"]
    await set_role(library, key.id, "many", Role.READ)
    await set_role(library, key.id, "main", Role.ADMINISTER)
    describe = 'mutation { describeCollection(name: "many") { ... on UserError { code } } }'
    together = "{ collections { name } jobs { totalCount } }"
    keys_of = {"own": headers["X-API-Key"], "child": child, "lesser": lesser}

    fresh = create_app(Service(library, embedder), ServerLimits(keys_required=True))  # it has seen no key yet
    async with httpx.AsyncClient(transport=httpx.ASGITransport(fresh), base_url="http://localhost") as asking:
        statuses = {}
        for name, text in keys_of.items():
            for place in ("main", "many"):
                path = f"/v1/enrichments/estimate?collection={place}"
                statuses[name, place] = (await asking.get(path, headers={"X-API-Key": text})).status_code
        refused = (await asking.post("/graphql", json={"query": describe}, headers=headers)).json()
        found = (await asking.post("/graphql", json={"query": together}, headers=headers)).json()
        viewer = (await asking.get("/v1/viewer", headers=headers)).json()

    assert [statuses["own", one] for one in ("main", "many")] == [200, 404]
    assert [statuses["child", one] for one in ("main", "many")] == [200, 404]
    assert [statuses["lesser", one] for one in ("main", "many")] == [403, 403]
    assert refused["data"]["describeCollection"] == {"code": "NOT_FOUND"}
    assert [one["name"] for one in found["data"]["collections"]] == ["main"]  # where all fields are allowed
    assert viewer["roles"] == [{"collection": "main", "role": "administer"}, {"collection": "many", "role": "read"}]


async def test_administrators_of_a_collection_list_and_set_its_roles_and_no_others(client, library):
    reader, _ = await made(library, READ, collections=["many"])
    leader, leads = await made(library, READ, collections=["main"])
    whole, _ = await made(library, READ)
    _, admins = await made(library, ADMIN)
    await client.put(f"/v1/collections/many/roles/{leader.id}", json={"role": "administer"}, headers=admins)

    listed = (await client.get("/v1/collections/many/roles", headers=leads)).json()["data"]
    changed = await client.put(f"/v1/collections/many/roles/{reader.id}", json={"role": "edit"}, headers=leads)
    elsewhere = await client.put(f"/v1/collections/main/roles/{reader.id}", json={"role": "edit"}, headers=leads)
    unbound = await client.put(f"/v1/collections/many/roles/{whole.id}", json={"role": "edit"}, headers=leads)
    removed = await client.put(f"/v1/collections/many/roles/{reader.id}", json={"role": None}, headers=leads)

    assert {one["key"]: one["role"] for one in listed} == {reader.id: None, leader.id: "administer"}
    assert (changed.status_code, changed.json()["role"]) == (200, "edit")
    assert (elsewhere.status_code, unbound.status_code) == (404, 400)
    assert (removed.status_code, removed.json()["role"]) == (200, None)
