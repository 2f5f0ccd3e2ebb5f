"""Keys in a real graph: what is kept of them, who gets what, how soon a revocation holds."""

import json
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError, UnauthenticatedError
from papergraph.ingest.doctor import examine
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.keys import ApiKey, create_key, find_key, has_valid_key, list_keys, parse_key, revoke_key
from papergraph.statement import Statement

READ, ASK, CYPHER, ADMIN = KeyScope.READ, KeyScope.ASK, KeyScope.CYPHER, KeyScope.ADMIN
ALL_PROPERTIES = Statement("test/properties", "MATCH (n) RETURN collect(properties(n)) AS all")
DAMAGES = {
    "REMOVE key.sha256": "has no checksum of its secret",
    "SET key.sha256 = 'secret'": "has no checksum of its secret",
    "REMOVE key.name": "has no name, or no time when it was made",
    "SET key.scopes = []": "has no scope",
    "SET key.scopes = ['read', 'write']": "has a scope that there is not",
    "SET key.collections = []": "reaches no collection",
}


class TwoHoursLater(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + timedelta(hours=2)


async def made(
    database: Database, *scopes: KeyScope, name: str = "the website", **options: object
) -> tuple[ApiKey, str]:
    return await create_key(database, name=name, scopes=scopes or (READ,), **options)  # type: ignore[arg-type]


async def test_a_key_is_found_by_its_id_and_its_secret_is_nowhere_in_the_graph(database: Database):
    key, text = await made(
        database, ASK, READ, collections=["reading", "main", "main"], expires=timedelta(days=30), name=" the website "
    )

    id, secret = parse_key(text) or ("", "")
    stored = await find_key(database, id)
    (everything,) = await database.read(ALL_PROPERTIES)

    assert (len(text), text[:3], id) == (3 + 8 + 1 + 43, "pg_", key.id)
    assert stored is not None and stored.key == key
    assert (key.name, key.scopes, key.collections) == ("the website", (READ, ASK), ("main", "reading"))
    assert key.expires_at is not None and key.expires_at - key.created_at == timedelta(days=30)
    assert (key.revoked_at, key.last_used_at, key.state) == (None, None, "valid")
    assert secret not in json.dumps(everything["all"], default=str)
    assert stored.sha256 in json.dumps(everything["all"], default=str)


async def test_keys_are_no_content_of_the_graph(database: Database):
    before = await graph_checksum(database)

    await made(database)

    assert (await graph_checksum(database)).same_graph(before)


async def test_keys_are_listed_in_order_and_revoked_for_good(database: Database):
    first, text = await made(database, name="first")
    second, _ = await made(database, name="second")

    revoked = await revoke_key(database, first.id)
    again = await revoke_key(database, text)

    assert revoked.revoked_at is not None and again == revoked
    assert await list_keys(database) == [revoked, second]
    assert await has_valid_key(database)
    await revoke_key(database, second.id)
    assert not await has_valid_key(database)


@pytest.mark.parametrize("id", ["nothere0", "", "pg_nothere0_" + "x" * 43])
async def test_a_key_that_is_not_there_cannot_be_revoked_and_its_secret_is_not_repeated(database: Database, id: str):
    with pytest.raises(NotFoundError) as caught:
        await revoke_key(database, id)

    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"scopes": ()}, "scope"),
        ({"collections": []}, "collection"),
        ({"collections": ["No Name"]}, "collection"),
        ({"scopes": (READ, CYPHER), "collections": ["main"]}, "collection"),
        ({"scopes": (ADMIN,), "collections": ["main"]}, "collection"),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(database: Database, options: dict[str, object], field: str):
    with pytest.raises(InputError) as caught:
        await create_key(database, **({"name": "x", "scopes": (READ,)} | options))  # type: ignore[arg-type]

    assert caught.value.field == field
    assert await list_keys(database) == []


async def test_a_valid_key_gives_its_grant_and_asks_the_graph_once(database: Database):
    key, text = await made(database, READ, ASK, collections=["main"])
    ring = KeyCache(database, kept_s=3600)
    n_before = database.n_queries

    grants = [await ring.principal(text) for _ in range(5)]
    await ring.close()

    assert grants == [Principal(key.id, frozenset({READ, ASK}), ("main",))] * 5
    assert database.n_queries - n_before == 2  # it is looked up, and its use is noted
    (used,) = await list_keys(database)
    assert used.last_used_at is not None and used.last_used_at >= used.created_at


@pytest.mark.parametrize(
    "change", [lambda text: text[:-1] + ("x" if text[-1] != "x" else "y"), lambda text: text.replace("pg_", "pk_")]
)
async def test_a_key_that_is_not_quite_right_is_none(database: Database, change):
    _, text = await made(database)

    with pytest.raises(UnauthenticatedError, match="The API key is not valid"):
        await KeyCache(database).principal(change(text))


@pytest.mark.parametrize("text", ["", "pg_", "pg_abcdefgh_" + "x" * 43, "pg_abcdefgh_short", "é" * 50, "x" * 10_000])
async def test_what_is_no_key_is_none(database: Database, text: str):
    with pytest.raises(UnauthenticatedError, match="The API key is not valid"):
        await KeyCache(database).principal(text)


async def test_the_secret_of_one_key_does_not_open_another(database: Database):
    one, text = await made(database)
    other, _ = await made(database)

    with pytest.raises(UnauthenticatedError):
        await KeyCache(database).principal(text.replace(one.id, other.id))


async def test_an_expired_key_is_refused_whatever_was_known_of_it(database: Database, monkeypatch):
    _, text = await made(database, expires=timedelta(hours=1))
    known, unknown = KeyCache(database, kept_s=3600), KeyCache(database)
    await known.principal(text)
    await known.close()

    monkeypatch.setattr("papergraph.server.auth.keys.datetime", TwoHoursLater)

    for ring in (known, unknown):
        with pytest.raises(UnauthenticatedError, match="expired"):
            await ring.principal(text)


async def test_a_revoked_key_is_refused_once_what_was_known_of_it_no_longer_holds(database: Database):
    key, text = await made(database)
    known, forgetful = KeyCache(database, kept_s=3600), KeyCache(database, kept_s=0)
    for ring in (known, forgetful):
        await ring.principal(text)
        await ring.close()

    await revoke_key(database, key.id)

    assert (await known.principal(text)).id == key.id
    with pytest.raises(UnauthenticatedError, match="revoked"):
        await forgetful.principal(text)


async def test_of_thousands_of_keys_only_the_latest_are_kept_in_memory(database: Database, monkeypatch):
    monkeypatch.setattr("papergraph.server.auth.credentials.MOST_KEPT", 2)
    texts = [(await made(database))[1] for _ in range(3)]
    ring = KeyCache(database, kept_s=3600)

    for text in texts:
        await ring.principal(text)
    await ring.close()

    assert [ring.knows(text) for text in texts] == [False, True, True]


@pytest.mark.writes_by_hand
async def test_the_doctor_knows_keys_that_cannot_be_checked(database: Database):
    bad = {(await made(database))[0].id: damage for damage in DAMAGES}
    await made(database, collections=["main"])
    for id, damage in bad.items():
        await database.run_alone(Statement("test/damage", f"MATCH (key:ApiKey {{id: $id}}) {damage}"), id=id)

    (finding,) = (await examine(database, n_examples=9)).findings

    assert finding.check == "key_incomplete"
    assert {fault.id: fault.problem for fault in finding.examples} == {
        id: f"key that {DAMAGES[damage]}" for id, damage in bad.items()
    }


@pytest.mark.writes_by_hand
async def test_the_doctor_knows_invitations_that_cannot_be_checked(database: Database):
    properties = {
        "name": "a group",
        "sha256": "0" * 64,
        "scopes": ["read"],
        "nUses": 0,
        "maxUses": 1,
        "createdAt": datetime(2026, 1, 1, tzinfo=UTC),
        "expiresAt": datetime(2030, 1, 1, tzinfo=UTC),
    }
    damages = {"sound": {}, "bare": {"sha256": "x"}, "mighty": {"scopes": ["admin"]}, "worn": {"nUses": 2}}
    for id, damage in damages.items():
        await database.run_alone(
            Statement("test/invite", "CREATE (one:Invitation {id: $id}) SET one += $properties"),
            id=id,
            properties={**properties, **damage},
        )

    (finding,) = (await examine(database, n_examples=9)).findings

    assert finding.check == "invitation_incomplete"
    assert {fault.id: fault.problem for fault in finding.examples} == {
        "bare": "invitation that has no checksum of its secret",
        "mighty": "invitation that has a scope that nobody is invited to",
        "worn": "invitation that was used more often than it may",
    }
