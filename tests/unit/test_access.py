"""What keys look like, what they are good for, and how much one may ask."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest
import strawberry
from graphql import GraphQLError
from starlette.datastructures import Headers

import cypher
from papergraph.errors import ForbiddenError, InputError, OverloadedError, RateLimitedError
from papergraph.settings import Settings
from server.access.gate import presented
from server.access.grants import Grant, KeyScope, everything
from server.access.keys import parse_key, parse_term
from server.access.limits import FAILURES_PER_MINUTE, Limits
from server.access.policy import Policy
from server.access.rights import ROUTES, Anyone, needs_of, require_fields
from server.graphql.access import Access
from server.graphql.context import Context
from server.retrieval import reading
from server.retrieval.scope import NOWHERE, within

SECRET = "A" * 41 + "-_"
ONE, OTHER = (Grant(id, frozenset({KeyScope.READ})) for id in ("one", "other"))


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
    admin = Grant("a", frozenset({KeyScope.ADMIN}))

    for scope in KeyScope:
        admin.require(scope, "this")
        everything().require(scope, "this")
        if scope is not KeyScope.READ:
            with pytest.raises(ForbiddenError, match=f"scope '{scope.value}'"):
                ONE.require(scope, "this")
    ONE.require(KeyScope.READ, "this")


def test_a_field_that_nobody_listed_takes_an_admin():
    require_fields(ONE, ["papers", "__schema", "__typename"])
    require_fields(everything(), ["somethingNew"])

    with pytest.raises(ForbiddenError, match="admin"):
        require_fields(ONE, ["papers", "somethingNew"])


def test_every_route_is_found_by_its_path():
    assert needs_of("/healthz") == {"GET": Anyone.AT_ALL}
    assert set(needs_of("/graphql")) == {"GET", "POST"}
    assert needs_of("/graphql/") == needs_of("/nothing") == {}
    assert all(needs_of(path)[method] is need for (method, path), need in ROUTES.items())


def test_every_query_that_reads_for_an_asker_is_told_the_collections():
    source = Path(reading.__file__).read_text(encoding="utf-8")
    names = re.findall(r'cypher\.load\("([^"]+)"\)', source)

    told = {name: cypher.parameters_used(cypher.load(name)) & {"collection", "collections"} for name in names}

    assert len(told) >= 10
    assert [name for name, parameters in told.items() if not parameters] == []


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
    assert Policy(hosts=hosts).names() == ["localhost", "127.0.0.1", "[::1]", *named]


def test_the_policy_is_what_the_settings_say(monkeypatch):
    for name, value in {
        "KEYS": "required",
        "HOSTS": "a.example.org, b.example.org",
        "REQUESTS_PER_MINUTE": "1",
        "COST_PER_MINUTE": "2",
        "REQUESTS_AT_ONCE": "3",
        "ALL_REQUESTS_AT_ONCE": "4",
        "WORKED_ON_AT_ONCE": "5",
    }.items():
        monkeypatch.setenv(f"PAPERGRAPH_{name}", value)

    assert Policy.of(Settings()) == Policy(True, ("a.example.org", "b.example.org"), 1, 2, 3, 4, 5)


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
    schema = strawberry.Schema(query=Fields, mutation=Changes, subscription=Events, extensions=[Access])

    @pytest.mark.parametrize("operation", ["{ somethingNew }", "mutation { somethingNew }", "subscription { ticks }"])
    @pytest.mark.parametrize("streamed", [False, True])
    async def test_what_is_not_allowed_is_not_begun_whatever_its_kind(self, operation, streamed):
        Fields.begun.clear()

        refused = await self._run(operation, ONE, streamed=streamed)
        n_begun_then = len(Fields.begun)
        let_in = await self._run(operation, everything(), streamed=streamed)

        assert [type(error.original_error) for error in refused] == [ForbiddenError]
        assert (n_begun_then, let_in, len(Fields.begun)) == (0, [], 1)

    async def _run(self, operation: str, grant: Grant, *, streamed: bool) -> list[GraphQLError]:
        context = Context(None, grant=grant)  # type: ignore[arg-type]
        if not streamed and "subscription" not in operation:
            return (await self.schema.execute(operation, context_value=context)).errors or []
        return [
            error
            async for result in await self.schema.stream(operation, context_value=context)
            for error in result.errors or []
        ]


class TestLimits:
    async def test_each_has_its_own_number_of_requests_and_hears_when_there_is_room_again(self):
        limits = Limits(Policy(requests_per_minute=3))
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
        many, one = Limits(Policy(cost_per_minute=10)), Limits(Policy(cost_per_minute=10))
        for _ in range(9):
            await many.charge(ONE, 1)
        await one.charge(ONE, 9)

        for limits in (many, one):
            with pytest.raises(RateLimitedError, match="a cost of 10 per minute"):
                await limits.charge(ONE, 2)
            await limits.charge(ONE, 1)
            with pytest.raises(RateLimitedError):
                await limits.charge(ONE, 1)

    async def test_without_limits_there_are_none_and_no_headers(self):
        limits = Limits(Policy())
        for _ in range(100):
            await limits.count(ONE)
            await limits.charge(ONE, 10**9)

        assert await limits.headers(ONE) == {}

    def test_places_are_given_back(self):
        limits = Limits(Policy(requests_at_once=2, all_requests_at_once=3))

        for _ in range(2):
            with limits.place(ONE), limits.place(ONE):
                with pytest.raises(RateLimitedError, match="2 requests at once"), limits.place(ONE):
                    pass
                with limits.place(OTHER):
                    with pytest.raises(OverloadedError) as caught, limits.place(OTHER):
                        pass
                    assert caught.value.retry_after_s == 1

    async def test_turns_come_in_the_order_of_asking(self):
        limits, done = Limits(Policy(worked_on_at_once=2)), []
        at_work = most_at_work = 0

        async def work(number: int) -> None:
            nonlocal at_work, most_at_work
            async with limits.turn():
                at_work += 1
                most_at_work = max(most_at_work, at_work)
                await asyncio.sleep(0)
                done.append(number)
                at_work -= 1

        await asyncio.gather(*(work(number) for number in range(20)))

        assert (done, most_at_work) == ([*range(20)], 2)

    async def test_a_turn_that_does_not_come_is_not_waited_for_for_ever(self, monkeypatch):
        monkeypatch.setattr("server.access.limits.PATIENCE_S", 0.01)
        limits = Limits(Policy(worked_on_at_once=1))

        async with limits.turn():
            with pytest.raises(OverloadedError) as caught:
                async with limits.turn():
                    pass
        async with limits.turn():  # whoever gave up holds none
            pass
        assert caught.value.retry_after_s == 1

    async def test_a_turn_is_given_back_by_who_goes_away_and_by_who_fails(self):
        limits = Limits(Policy(worked_on_at_once=1))

        async def work(error: Exception | None) -> None:
            async with limits.turn():
                if error:
                    raise error
                await asyncio.sleep(60)

        working, waiting = (asyncio.create_task(work(None)) for _ in range(2))
        await asyncio.sleep(0)
        working.cancel(), waiting.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)
        with pytest.raises(ZeroDivisionError):
            await work(ZeroDivisionError())

        async with limits.turn():
            pass

    async def test_whoever_brings_many_wrong_keys_is_made_to_wait(self):
        limits = Limits(Policy())
        for _ in range(FAILURES_PER_MINUTE):
            await limits.refuse_guessing("10.0.0.1")
            await limits.fail("10.0.0.1")

        with pytest.raises(RateLimitedError, match="wrong keys"):
            await limits.refuse_guessing("10.0.0.1")
        await limits.refuse_guessing("10.0.0.2")
