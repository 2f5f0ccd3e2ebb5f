"""Signing up over HTTP on a real Neo4j by invitation: how often, and for which rights."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.doctor import examine
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.invitations import WantedInvitation, create_invitation, revoke_invitation
from papergraph.server.auth.keys import create_key, revoke_key
from papergraph.server.auth.server_limits import ServerLimits, SignUp
from papergraph.server.operations.service import Service
from papergraph.statement import Statement

pytestmark = pytest.mark.slow

READ, ASK, INGEST, CYPHER, ADMIN = KeyScope.READ, KeyScope.ASK, KeyScope.INGEST, KeyScope.CYPHER, KeyScope.ADMIN
FORGET = Statement("test/forget", "MATCH (n:ApiKey|Invitation) DELETE n")
EVERYTHING = Statement("test/all", "MATCH (n:ApiKey|Invitation) RETURN collect(properties(n)) AS all, count(n) AS n")
EXPIRE = Statement(
    "test/expire", "MATCH (n:Invitation|ApiKey) SET n.expiresAt = datetime() - duration('PT1S') RETURN 1"
)
DAMAGE = Statement("test/damage", "MATCH (n:Invitation) SET n.nUses = n.maxUses + 1 RETURN 1")
INVITE = ServerLimits(keys_required=True, sign_up=SignUp.INVITE)
CREATE = """
mutation ($input: InvitationInput!) {
  createInvitation(input: $input) {
    ... on CreatedInvitation { text invitation { id name state scopes nUses maxUses creators keyTermS } }
    ... on UserError { code field }
  }
}
"""


def client_of(
    library: Database, embedder: Embedder, policy: ServerLimits, address: str = "192.0.2.1"
) -> httpx.AsyncClient:
    application = create_app(Service(library, embedder), policy)
    transport = httpx.ASGITransport(application, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


@pytest_asyncio.fixture(loop_scope="session")
async def clean(library: Database) -> AsyncIterator[None]:
    await library.run_alone(FORGET)
    yield
    await library.run_alone(FORGET)


@pytest_asyncio.fixture(loop_scope="session")
async def invited(library: Database, embedder: Embedder, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """A server that takes invitations."""
    async with client_of(library, embedder, INVITE) as client:
        yield client


async def admin_of(library: Database, *scopes: KeyScope, **options: Any) -> tuple[str, dict[str, str]]:
    key, text = await create_key(library, name="admin", scopes=scopes or (ADMIN,), **options)
    return key.id, {"X-API-Key": text}


async def invitation(library: Database, **wanted: Any) -> str:
    _, text = await create_invitation(library, WantedInvitation(**({"name": "group", "scopes": [READ]} | wanted)))
    return text


async def join(client: httpx.AsyncClient, text: str, name: str = "me") -> httpx.Response:
    return await client.post("/v1/sign-up", json={"name": name, "invitation": text})


class TestInvitation:
    async def test_an_admin_invites_and_whoever_has_it_gets_a_key_with_its_rights(self, invited, library):
        admin, headers = await admin_of(library)
        wanted = {"name": "the group", "scopes": ["read", "ask"], "collections": ["many"], "keyExpires": "30d"}
        made = await invited.post(
            "/v1/invitations", json=wanted | {"uses": 2, "requestsPerMinute": 7, "costPerMinute": 900}, headers=headers
        )
        text = made.json()["text"]

        response = await join(invited, text, "Ada")
        key = response.json()["key"]
        own = {"X-API-Key": response.json()["text"]}
        viewer = (await invited.get("/v1/viewer", headers=own)).json()
        (listed,) = (await invited.get("/v1/invitations", headers=headers)).json()["data"]
        (everything,) = await library.read(EVERYTHING)

        assert (made.status_code, response.status_code) == (201, 201)
        assert {made.headers["cache-control"], response.headers["cache-control"]} == {"no-store"}
        assert (key["name"], key["scopes"], key["collections"]) == ("Ada", ["read", "ask"], ["many"])
        assert (key["creators"], key["signedUpBy"]) == ([admin], listed["id"])
        assert timedelta(days=29) < datetime.fromisoformat(key["expiresAt"]) - datetime.now(UTC) < timedelta(days=31)
        assert [(one["name"], one["limit"]) for one in viewer["limits"]] == [("requests", 7), ("cost", 900)]
        assert (listed["state"], listed["nUses"], listed["maxUses"]) == ("valid", 1, 2)
        assert text[12:] not in json.dumps(everything["all"], default=str) + json.dumps(listed)

    async def test_what_it_grants_is_shown_before_it_is_used(self, invited, library):
        _, headers = await admin_of(library, expires=timedelta(days=9))
        wanted = {"name": "the group", "scopes": ["read"], "collections": ["many"], "keyExpires": "30d", "uses": 2}
        made = await invited.post("/v1/invitations", json=wanted | {"requestsPerMinute": 7}, headers=headers)
        text = made.json()["text"]

        shown = await invited.post("/v1/sign-up/invitation", json={"invitation": text})
        await join(invited, text)
        again = await invited.post("/v1/sign-up/invitation", json={"invitation": text})
        wrong = await invited.post("/v1/sign-up/invitation", json={"invitation": f"{text[:-3]}xyz"})
        await join(invited, text)
        late = await invited.post("/v1/sign-up/invitation", json={"invitation": text})

        principal = shown.json()
        assert (principal["name"], principal["scopes"], principal["collections"]) == ("the group", ["read"], ["many"])
        assert (principal["requestsPerMinute"], principal["costPerMinute"]) == (7, None)
        assert (principal["nLeft"], again.json()["nLeft"]) == (2, 1)
        ends = datetime.fromisoformat(principal["keyExpiresAt"]) - datetime.now(UTC)
        assert timedelta(days=8) < ends < timedelta(days=9)  # as the key that invites
        assert (
            shown.headers["cache-control"] == "no-store" and "secret" not in shown.text and text[12:] not in shown.text
        )
        assert (wrong.status_code, late.status_code) == (400, 409)

    async def test_limits_of_a_key_hold_beside_those_of_the_server(self, invited, library):
        text = await invitation(library, requests_per_minute=2)
        own = {"X-API-Key": (await join(invited, text)).json()["text"]}

        statuses = [(await invited.get("/v1/server", headers=own)).status_code for _ in range(3)]

        assert statuses == [200, 200, 429]

    async def test_parallel_sign_ups_never_use_it_more_often_than_it_may(self, invited, library, embedder):
        text = await invitation(library, max_uses=3)
        async with client_of(library, embedder, INVITE, "192.0.2.2") as other:  # another process of the server
            answers = await asyncio.gather(*(join(one, text) for one in (invited, other) for _ in range(6)))
        late = await join(invited, text)
        (everything,) = await library.read(EVERYTHING)

        assert sorted(one.status_code for one in answers) == [201] * 3 + [409] * 9
        assert (late.status_code, "used up" in late.json()["detail"]) == (409, True)
        assert everything["n"] == 4 and {one.get("nUses", 3) for one in everything["all"]} == {3}

    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            ({"scopes": ["admin"]}, "scopes"),
            ({"scopes": ["read", "admin"]}, "scopes"),
            ({"scopes": []}, "scopes"),
            ({"scopes": ["cypher"], "collections": ["main"]}, "collection"),
            ({"scopes": ["read"], "uses": 0}, "uses"),
            ({"scopes": ["read"], "uses": 10**6}, "uses"),
            ({"scopes": ["read"], "expires": "soon"}, "expires"),
            ({"scopes": ["read"], "costPerMinute": 0}, "costPerMinute"),
            ({"scopes": ["read"], "name": "two\nlines"}, "name"),
        ],
    )
    async def test_an_invitation_that_makes_no_sense_is_refused(self, invited, library, wanted, field):
        _, headers = await admin_of(library)

        rest = await invited.post("/v1/invitations", json={"name": "x"} | wanted, headers=headers)
        asked = {"query": CREATE, "variables": {"input": {"name": "x"} | wanted | {"scopes": _upper(wanted)}}}
        graphql = (await invited.post("/graphql", json=asked, headers=headers)).json()["data"]["createInvitation"]

        assert (rest.status_code, field in rest.json()["errors"][0]["field"]) == (400, True)
        assert (graphql["code"], graphql["field"][:5]) == ("BAD_USER_INPUT", field[:5])

    async def test_only_an_administrator_invites(self, invited, library):
        _, headers = await admin_of(library, READ, ASK, INGEST, CYPHER)

        made = await invited.post("/v1/invitations", json={"name": "x", "scopes": ["read"]}, headers=headers)

        assert made.status_code == 403

    async def test_graphql_lists_and_revokes(self, invited, library):
        admin, headers = await admin_of(library)

        async def ask(query: str, **variables: Any) -> Any:
            body = {"query": query, "variables": variables}
            return (await invited.post("/graphql", json=body, headers=headers)).json()["data"]

        wanted = {"name": "x", "scopes": ["READ"], "uses": 3, "keyExpires": "1h"}
        made = (await ask(CREATE, input=wanted))["createInvitation"]
        id = made["invitation"]["id"]
        revoked = await ask(f'mutation {{ revokeInvitation(id: "{id}") {{ ... on Invitation {{ state }} }} }}')
        unknown = await ask('mutation { revokeInvitation(id: "nothere0") { ... on UserError { code } } }')
        listed = await ask("{ invitations { id state } server { signUp } }")

        assert made["text"].startswith(f"pi_{id}_")
        assert made["invitation"]["creators"] == [admin] and made["invitation"]["keyTermS"] == 3600
        assert revoked["revokeInvitation"] == {"state": "REVOKED"}
        assert unknown["revokeInvitation"] == {"code": "NOT_FOUND"}
        assert listed == {"invitations": [{"id": id, "state": "REVOKED"}], "server": {"signUp": "INVITE"}}
        assert (await join(invited, made["text"])).status_code == 409

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text[:-1] + ("x" if text[-1] != "x" else "y"),
            lambda text: "pi_nothere0" + text[11:],
            lambda text: text.replace("pi_", "pg_"),
            lambda text: "",
            lambda text: "é" * 40,
            lambda text: "pi_" + "\u0000" * 40,
        ],
    )
    async def test_what_is_not_quite_an_invitation_is_none(self, invited, library, change):
        text = await invitation(library)

        response = await join(invited, change(text))

        assert (response.status_code, response.json()["errors"][0]["field"]) == (400, "invitation")
        assert text[12:] not in response.text

    async def test_an_expired_or_revoked_one_gives_no_key_and_revoking_leaves_its_keys(self, invited, library):
        text = await invitation(library, max_uses=5)
        own = {"X-API-Key": (await join(invited, text)).json()["text"]}
        await revoke_invitation(library, text)
        revoked = await join(invited, text)
        still = await invited.get("/v1/viewer", headers=own)
        later = await invitation(library)
        await library.run_alone(EXPIRE)
        expired = await join(invited, later)

        assert [one.status_code for one in (revoked, expired, still)] == [409, 409, 200]
        assert "revoked" in revoked.json()["detail"] and "expired" in expired.json()["detail"]

    async def test_it_ends_with_the_key_of_who_invites_and_so_do_its_keys(self, invited, library):
        admin, headers = await admin_of(library)
        wanted = {"name": "x", "scopes": ["read"], "uses": 9}
        text = (await invited.post("/v1/invitations", json=wanted, headers=headers)).json()["text"]
        own = {"X-API-Key": (await join(invited, text)).json()["text"]}

        await revoke_key(library, admin)
        refused = await join(invited, text)
        viewer = await invited.get("/v1/viewer", headers=own)

        assert (refused.status_code, viewer.status_code) == (409, 401)

    async def test_its_keys_end_no_later_than_the_key_of_who_invites(self, invited, library):
        _, headers = await admin_of(library, expires=timedelta(hours=2))
        wanted = {"name": "x", "scopes": ["read"], "keyExpires": "8w"}
        text = (await invited.post("/v1/invitations", json=wanted, headers=headers)).json()["text"]

        key = (await join(invited, text)).json()["key"]

        assert datetime.fromisoformat(key["expiresAt"]) < datetime.now(UTC) + timedelta(hours=2)

    async def test_a_key_of_a_sign_up_makes_no_keys(self, invited, library):
        own = {"X-API-Key": (await join(invited, await invitation(library))).json()["text"]}

        made = await invited.post("/v1/keys", json={"name": "x", "scopes": ["read"]}, headers=own)

        assert (made.status_code, made.json()["code"]) == (409, "CONFLICT")

    @pytest.mark.writes_by_hand
    async def test_the_doctor_knows_invitations_that_were_used_too_often(self, library, clean):
        await invitation(library)
        await library.run_alone(DAMAGE)

        (finding,) = [one for one in (await examine(library, n_examples=9)).findings if "invitation" in one.check]

        assert finding.examples[0].problem == "invitation that was used more often than it may"


class TestHostileInput:
    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"name": " "}, "name"),
            ({"name": "x" * 101}, "name"),
            ({"invitation": "pi_"}, "invitation"),
            ({"invitation": None}, "invitation"),
            ({"scopes": ["admin"]}, "scopes"),
        ],
    )
    async def test_hostile_input_is_told_by_its_field(self, invited, library, change, field):
        given = {"name": "me", "invitation": await invitation(library)}

        response = await invited.post("/v1/sign-up", json=given | change)

        assert (response.status_code, response.json()["errors"][0]["field"]) == (400, field)

    async def test_requests_without_a_key_are_limited_for_each_network(self, library, embedder, clean):
        async with client_of(library, embedder, INVITE, "2001:db8::1") as client:
            statuses = [(await client.get("/v1/sign-up")).status_code for _ in range(31)]
            posted = await join(client, "pi_")

        assert statuses == [200] * 30 + [429]
        assert (posted.status_code, int(posted.headers["retry-after"]) >= 1) == (429, True)


class TestOff:
    @pytest.mark.parametrize("policy", [ServerLimits(keys_required=True), ServerLimits(sign_up=SignUp.INVITE)])
    async def test_nobody_signs_up_where_it_is_off_or_no_keys_are_required(self, library, embedder, clean, policy):
        text = await invitation(library)
        async with client_of(library, embedder, policy) as client:
            response = await join(client, text)

        assert (response.status_code, response.json()["code"]) == (409, "CONFLICT")
        assert "PAPERGRAPH_SIGN_UP" in response.json()["detail"]

    async def test_it_is_off_by_default_and_an_administrator_is_told(self, library, embedder, clean):
        _, headers = await admin_of(library)
        async with client_of(library, embedder, ServerLimits(keys_required=True)) as client:
            offer = (await client.get("/v1/sign-up")).json()
            made = await client.post("/v1/invitations", json={"name": "x", "scopes": ["read"]}, headers=headers)

        assert offer == {"signUp": "off"}
        assert (made.status_code, "PAPERGRAPH_SIGN_UP" in made.json()["detail"]) == (409, True)

    async def test_with_invitations_the_offer_says_so(self, invited):
        assert (await invited.get("/v1/sign-up")).json() == {"signUp": "invite"}


def test_the_command_line_invites_lists_and_revokes(papergraph, library):
    made = json.loads(
        papergraph(
            *("keys", "invite", "--name", "group", "--scope", "read", "-c", "many", "--uses", "3", "--json"),
            *("--key-expires", "30d", "--requests-per-minute", "60"),
        ).stdout
    )
    listed = papergraph("keys", "invitations").stdout
    revoked = papergraph("keys", "revoke-invitation", made["id"]).stdout
    (as_data,) = [
        one for one in json.loads(papergraph("keys", "invitations", "--json").stdout) if one["id"] == made["id"]
    ]
    refused = papergraph("keys", "invite", "--name", "x", "--scope", "admin")

    assert made["invitation"].startswith(f"pi_{made['id']}_")
    assert (made["max_uses"], made["key_term_s"], made["requests_per_minute"]) == (3, 30 * 86400, 60)
    assert "valid: " in listed and "used 0 of 3 times" in listed
    assert revoked.startswith("revoked: ") and as_data["state"] == "revoked"
    assert made["invitation"][12:] not in listed + revoked + str(as_data)
    assert refused.returncode == 2


def _upper(wanted: dict[str, Any]) -> list[str]:
    return [scope.upper() for scope in wanted.get("scopes", ["read"])]
