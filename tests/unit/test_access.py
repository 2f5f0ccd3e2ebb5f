"""What keys look like, what they are good for, and how much one may ask."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, ClassVar

import pytest
import strawberry
from fastapi import FastAPI
from graphql import GraphQLError
from pydantic import BaseModel
from starlette.datastructures import Headers

from papergraph import cypher
from papergraph.errors import AccessError, InputError, OverloadedError, RateLimitedError
from papergraph.records import Record, described
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.auth.keys import parse_key, parse_term
from papergraph.server.auth.operations import (
    LIST_LENGTH,
    PUBLIC,
    READ,
    AccessTable,
    Deadline,
    Included,
    Operation,
    allow_fields,
    for_several,
    response_cost,
)
from papergraph.server.auth.rate_limits import ANONYMOUS_OF_ALL, ANONYMOUS_OF_ONE, KeyLookups, RateLimiter, network_of
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graph import nodes as reading
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.extensions import Permissions
from papergraph.server.graphql.schema import declared_fields
from papergraph.server.middleware.authentication import presented
from papergraph.server.retrieval.scope import NOWHERE, within
from papergraph.settings import Settings
from tests.support.servers import routes

SECRET = "A" * 41 + "-_"
ONE, OTHER = (Principal(id, frozenset({KeyScope.READ})) for id in ("one", "other"))


def test_a_key_has_an_id_and_a_secret():
    assert parse_key(f"pg_abcd1234_{SECRET}") == ("abcd1234", SECRET)


@pytest.mark.parametrize(
    "text", [f"pg_ABCD1234_{SECRET}", f"pg_abcd123_{SECRET}", f"pg_abcd1234_{SECRET}x", f" pg_abcd1234_{SECRET}", ""]
)
def test_what_has_another_form_is_no_key(text):
    assert parse_key(text) is None


@pytest.mark.parametrize(("text", "hours"), [("1h", 1), ("30d", 30 * 24), ("8w", 8 * 7 * 24), ("3660d", 3660 * 24)])
def test_a_term_is_hours_days_or_weeks(text, hours):
    assert parse_term(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "30", "0d", "-1d", "1.5h", "30 d", "1y", "3661d", "999999w", "1d1h"])
def test_another_term_is_refused(text):
    with pytest.raises(InputError):
        parse_term(text)


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ({}, None),
        ({"Authorization": "Bearer a"}, "a"),
        ({"Authorization": "bearer  a "}, "a"),
        ({"X-API-Key": "b"}, "b"),
        ({"Authorization": "Basic a", "X-API-Key": "b"}, "b"),
        ({"Authorization": "Bearer a", "X-API-Key": "b"}, "a"),
        ({"Authorization": "Bearer"}, ""),
    ],
)
def test_a_key_is_presented_in_one_of_two_headers(headers, key):
    assert presented(Headers(headers)) == key


def test_admin_is_good_for_everything_and_other_scopes_for_themselves():
    admin = Principal("a", frozenset({KeyScope.ADMIN}))

    for scope in KeyScope:
        admin.require(scope, "this")
        everything().require(scope, "this")
        if scope is not KeyScope.READ:
            with pytest.raises(AccessError, match=f"scope '{scope.value}'"):
                ONE.require(scope, "this")
    ONE.require(KeyScope.READ, "this")


def test_a_field_that_nobody_listed_takes_an_admin():
    allow_fields(ONE, {"papers": READ})
    allow_fields(everything(), {"somethingNew": None})

    with pytest.raises(AccessError, match="admin"):
        allow_fields(ONE, {"papers": READ, "somethingNew": None})


def test_every_route_is_found_by_its_path():
    table = routes()

    assert table.methods("/healthz") == {"GET": PUBLIC}
    assert set(table.methods("/graphql")) == {"GET", "POST"}
    assert table.methods("/graphql/") == table.methods("/nothing") == {}
    assert all(table.methods(path)[method] is declared for (method, path), declared in table.routes.items())
    assert table.deadline("POST", "/v1/ask") is Deadline.MODEL
    assert table.deadline("GET", "/nothing") is Deadline.DATABASE


def test_a_route_without_access_stops_the_start():
    application = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    application.add_api_route("/open", PUBLIC(nothing))
    application.add_api_route("/forgotten/{id}", another)

    with pytest.raises(LookupError, match=re.escape("/forgotten/{id} declares no operation")):
        AccessTable(application.routes)


def test_a_field_of_graphql_without_access_stops_the_start():
    with pytest.raises(LookupError, match="somethingNew"):
        declared_fields(strawberry.Schema(query=Fields))


@dataclass(frozen=True)
class Item(Record):
    """An item."""

    name: Annotated[str, described("Name.")]
    parts: Annotated[tuple["Part", ...], described("Parts.")]


@dataclass(frozen=True)
class Part(Record):
    """A part."""

    name: Annotated[str, described("Name.")]


class Items(BaseModel):
    data: list[Item]
    total: int
    extra: Annotated[Part | None, Included("extra")] = None


def test_the_cost_of_a_response_grows_with_its_lists():
    item = 2 + LIST_LENGTH * 1 + 1

    assert response_cost(int) == response_cost(list[int]) == 1
    assert response_cost(Item) == item
    assert response_cost(Items, length=7) == 1 + (1 + 7 * (item - 1)) + 1
    assert response_cost(Items, length=7, included=["extra"]) == response_cost(Items, length=7) + 2


async def test_a_cost_is_charged_before_the_endpoint_runs():
    charged: list[int] = []

    class Asker:
        async def charge(self, cost: int) -> None:
            charged.append(cost)

    @Operation(KeyScope.READ, price=100, several=True)
    async def endpoint(context: Asker, first: int, collections: list[str]) -> Items:
        return Items(data=[], total=len(charged))

    @Operation(KeyScope.READ, per_id=20, whole=True)
    async def whole(context: Asker, ids: list[str]) -> Items:
        return Items(data=[], total=0)

    @Operation(KeyScope.READ, price=100, free=True)
    async def free(context: Asker) -> Items:
        return Items(data=[], total=0)

    assert (await endpoint(context=Asker(), first=7, collections=["a", "b"])).total == 1
    await whole(context=Asker(), ids=["a", "b", "c"])
    await free(context=Asker())

    assert charged == [for_several(100, ["a", "b"]) + response_cost(Items, length=7), 60]


async def nothing() -> None:
    pass


async def another(id: str) -> None:
    pass


def test_every_query_that_reads_for_an_asker_is_told_the_collections():
    source = Path(reading.__file__).read_text(encoding="utf-8")
    names = re.findall(r'cypher\.load\("([^"]+)"\)', source)

    told = {name: cypher.parameters_used(cypher.load(name)) & {"collection", "collections"} for name in names}

    assert len(told) >= 10
    assert [name for name, parameters in told.items() if not parameters] == ["papers/collections_with_key"]
    assert "if collections is None:  # callers without limits" in source


def test_a_collection_out_of_reach_is_looked_for_where_nothing_is():
    assert within("main", None) == within("main", ("other", "main")) == "main"
    assert within("main", ("other",)) == within("main", ()) == NOWHERE
    assert len(NOWHERE) <= 63
    with pytest.raises(InputError):
        within("No Name", ("other",))


@pytest.mark.parametrize(
    ("hosts", "named"),
    [
        ((), []),
        (("papers.example.org", "10.0.0.1", "::2", "[::3]"), ["papers.example.org", "10.0.0.1", "[::2]", "[::3]"]),
    ],
)
def test_the_names_of_this_machine_are_always_among_the_names(hosts, named):
    assert ServerLimits(hosts=hosts).names() == ["localhost", "127.0.0.1", "[::1]", *named]


def test_the_policy_is_what_the_settings_say(monkeypatch):
    for name, value in {
        "SERVER_REQUIRE_API_KEY": "true",
        "SERVER_TRUSTED_HOSTS": "a.example.org, b.example.org",
        "LIMITS_REQUESTS_PER_MINUTE": "1",
        "LIMITS_COST_PER_MINUTE": "2",
        "SERVER_MAX_ACTIVE_REQUESTS": "5",
        "SERVER_TRUSTED_PROXIES": "10.0.0.0/8",
    }.items():
        monkeypatch.setenv(f"PAPERGRAPH_{name}", value)

    names, proxies = ("a.example.org", "b.example.org"), ("10.0.0.0/8",)
    assert ServerLimits.of(Settings()) == ServerLimits(True, names, 1, 2, 40, 80, 5, proxies=proxies)


@strawberry.type
class Fields:
    begun: ClassVar[list[str]] = []

    @strawberry.field
    def somethingNew(self) -> int:  # noqa: N802
        Fields.begun.append("query")
        return 1


@strawberry.type
class Changes(Fields):
    pass


@strawberry.type
class Events:
    @strawberry.subscription
    async def ticks(self) -> AsyncIterator[int]:
        Fields.begun.append("subscription")
        yield 1


class TestOperations:
    schema = strawberry.Schema(query=Fields, mutation=Changes, subscription=Events, extensions=[Permissions])

    @pytest.mark.parametrize("operation", ["{ somethingNew }", "mutation { somethingNew }", "subscription { ticks }"])
    @pytest.mark.parametrize("streamed", [False, True])
    async def test_what_is_not_allowed_is_not_begun_whatever_its_kind(self, operation, streamed):
        Fields.begun.clear()

        refused = await self._run(operation, ONE, streamed=streamed)
        n_begun_then = len(Fields.begun)
        let_in = await self._run(operation, everything(), streamed=streamed)

        assert [type(error.original_error) for error in refused] == [AccessError]
        assert (n_begun_then, let_in, len(Fields.begun)) == (0, [], 1)

    async def _run(self, operation: str, principal: Principal, *, streamed: bool) -> list[GraphQLError]:
        context = Context(SimpleNamespace(database=None), principal=principal)  # type: ignore[arg-type]
        if not streamed and "subscription" not in operation:
            return (await self.schema.execute(operation, context_value=context)).errors or []
        return [
            error
            async for result in await self.schema.stream(operation, context_value=context)
            for error in result.errors or []
        ]


class TestLimits:
    async def test_each_has_its_own_number_of_requests_and_hears_when_there_is_room_again(self):
        limits = RateLimiter(ServerLimits(requests_per_minute=3))
        for _ in range(3):
            await limits.count(ONE)

        with pytest.raises(RateLimitedError, match="3 requests per minute") as caught:
            await limits.count(ONE)
        await limits.count(OTHER)

        assert 1 <= caught.value.retry_after_s <= 60
        assert (await limits.headers(ONE))["RateLimit-Policy"] == '"requests";q=3;w=60'
        assert (await limits.headers(ONE))["RateLimit"].startswith('"requests";r=0;t=')
        assert (await limits.headers(OTHER))["RateLimit"].startswith('"requests";r=2;t=')

    async def test_one_costly_operation_counts_as_many_cheap_ones_and_a_refused_one_costs_nothing(self):
        many, one = RateLimiter(ServerLimits(cost_per_minute=10)), RateLimiter(ServerLimits(cost_per_minute=10))
        for _ in range(9):
            await many.charge(ONE, 1)
        await one.charge(ONE, 9)

        for limits in (many, one):
            with pytest.raises(RateLimitedError, match="cost of 10 per minute"):
                await limits.charge(ONE, 2)
            await limits.charge(ONE, 1)
            with pytest.raises(RateLimitedError):
                await limits.charge(ONE, 1)

    async def test_without_limits_there_are_none_and_no_headers(self):
        limits = RateLimiter(ServerLimits())
        for _ in range(100):
            await limits.count(ONE)
            await limits.charge(ONE, 10**9)

        assert await limits.headers(ONE) == {}

    def test_places_are_given_back(self):
        limits = RateLimiter(ServerLimits(requests_at_once=2, all_requests_at_once=3))

        for _ in range(2):
            with limits.place(ONE), limits.place(ONE):
                with pytest.raises(RateLimitedError, match="2 requests at once"), limits.place(ONE):
                    pass
                with limits.place(OTHER):
                    with pytest.raises(OverloadedError) as caught, limits.place(OTHER):
                        pass
                    assert caught.value.retry_after_s == 1

    async def test_turns_come_in_the_order_of_asking(self):
        limits, done = RateLimiter(ServerLimits(worked_on_at_once=2)), []
        at_work = most_at_work = 0

        async def work(number: int) -> None:
            nonlocal at_work, most_at_work
            async with limits.turn(ONE):
                at_work += 1
                most_at_work = max(most_at_work, at_work)
                await asyncio.sleep(0)
                done.append(number)
                at_work -= 1

        await asyncio.gather(*(work(number) for number in range(20)))

        assert (done, most_at_work) == ([*range(20)], 2)

    async def test_a_turn_that_does_not_come_is_not_waited_for_for_ever(self, monkeypatch):
        monkeypatch.setattr("papergraph.server.auth.rate_limits.PATIENCE_S", 0.01)
        limits = RateLimiter(ServerLimits(worked_on_at_once=1))

        async with limits.turn(ONE):
            with pytest.raises(OverloadedError) as caught:
                async with limits.turn(ONE):
                    pass
        async with limits.turn(ONE):  # whoever gave up holds none
            pass
        assert caught.value.retry_after_s == 1

    async def test_a_turn_is_given_back_by_who_goes_away_and_by_who_fails(self):
        limits = RateLimiter(ServerLimits(worked_on_at_once=1))

        async def work(error: Exception | None) -> None:
            async with limits.turn(ONE):
                if error:
                    raise error
                await asyncio.sleep(60)

        working, waiting = (asyncio.create_task(work(None)) for _ in range(2))
        await asyncio.sleep(0)
        working.cancel(), waiting.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)
        with pytest.raises(ZeroDivisionError):
            await work(ZeroDivisionError())

        async with limits.turn(ONE):
            pass

    def test_handshakes_have_places_of_their_own_for_each_network(self):
        limits = RateLimiter(ServerLimits(all_requests_at_once=1))
        n_networks = ANONYMOUS_OF_ALL // ANONYMOUS_OF_ONE
        with ExitStack() as held:
            for network in range(n_networks):
                for _ in range(ANONYMOUS_OF_ONE):
                    held.enter_context(limits.handshake(f"10.0.0.{network}"))
                with pytest.raises(RateLimitedError, match="handshakes"):
                    held.enter_context(limits.handshake(f"10.0.0.{network}"))
            with pytest.raises(OverloadedError):
                held.enter_context(limits.handshake("10.0.1.1"))
            with limits.place(ONE):  # none of them is a request
                pass
        with limits.handshake("10.0.0.1"):
            pass

    async def test_lookups_of_unknown_keys_wait_for_each_other_within_a_network(self):
        lookups, n_inside, most = KeyLookups(at_once=4, of_one_network=2), {"a": 0, "b": 0}, {"a": 0, "b": 0}

        async def look(network: str) -> None:
            async with lookups.place(network):
                n_inside[network] += 1
                most[network] = max(most[network], n_inside[network])
                await asyncio.sleep(0.001)
                n_inside[network] -= 1

        await asyncio.gather(*(look("a") for _ in range(100)), look("b"))

        assert most == {"a": 2, "b": 1}
        assert lookups._networks == {}

    async def test_a_lookup_that_waits_too_long_is_refused_and_other_networks_are_not(self):
        lookups = KeyLookups(at_once=2, of_one_network=1, patience_s=0.05)
        async with lookups.place("a"):
            with pytest.raises(RateLimitedError, match="unknown keys at once"):
                async with lookups.place("a"):
                    raise AssertionError("there was no place")
            async with lookups.place("b"):
                with pytest.raises(RateLimitedError):
                    async with lookups.place("c"):
                        raise AssertionError("there was no place")
        async with lookups.place("a"), lookups.place("c"):
            pass
        assert lookups._networks == {}


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("nowhere", "nowhere"),
    ],
)
def test_a_network_is_an_address_or_a_64_of_ipv6(address: str, network: str):
    assert network_of(address) == network
