"""Queries of users that Neo4j goes on with: they are found, no others are taken, and the server is ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from neo4j import Query

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import AccessError, DatabaseError, OverloadedError
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.operations.cypher import table_for
from papergraph.server.startup import desk_of
from papergraph.server.user_cypher import runner as watch
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import CypherDesk, CypherRunner, ForAgents
from papergraph.statement import USER_QUERY
from papergraph.store import Address
from papergraph.telemetry.metrics import CYPHER_STUCK
from tests.support.flat_settings import settings_of

ENDLESS = "UNWIND range(1, 1000000000) AS x WITH x WHERE x < 0 RETURN x"
RESEARCHER = Principal("researcher", frozenset({KeyScope.CYPHER}))


def address_of(database: Database) -> Address:
    login = database.login
    assert login is not None
    return Address(login.uri, login.user, login.password, login.database, 8.0)


@asynccontextmanager
async def lasting(database: Database, metadata: dict[str, str]) -> AsyncIterator[None]:
    """Run a query that never ends by itself, as one that the planner does not come back from."""

    async def run() -> None:
        async with database.driver.session(database=database.name) as session:
            await (await session.run(Query(ENDLESS, metadata=metadata, timeout=120))).consume()  # type: ignore[arg-type]

    task = asyncio.create_task(run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "GRACE_S", 1.0)
    monkeypatch.setattr(watch, "POLL_S", 0.5)


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 what is waited for sets no event
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_query_that_goes_on_stops_all_others_until_it_is_gone(database: Database, caplog):
    ended: list[bool] = []
    async with CypherRunner(
        address_of(database), at_once=1, deadline_s=1.0, end_server=lambda: not ended.append(True)
    ) as runner:
        desk = CypherDesk(runner, find_replica=None, make_runner=lambda _: runner)
        async with lasting(database, dict(USER_QUERY)):
            async with asyncio.timeout(60):
                while not await watch.count_user_queries(database, oldest_ms=2000):  # noqa: ASYNC110 Neo4j tells nobody
                    await asyncio.sleep(0.05)
            runner._watch.look_later()
            await until(lambda: desk.is_stuck)
            with pytest.raises(OverloadedError, match="paused"):
                await table_for(everything(), desk, CypherRequest("RETURN 1"))
            assert CYPHER_STUCK._value.get() == 1
            await until(lambda: ended)
        await until(lambda: not desk.is_stuck)
        table = await table_for(everything(), desk, CypherRequest("RETURN 1 AS n"))

    assert table.rows[0].values == [1]
    assert CYPHER_STUCK._value.get() == 0
    assert "still runs a query of a user" in caplog.text and "accepted again" in caplog.text


@pytest.mark.slow
async def test_long_transactions_of_papergraph_itself_are_no_fault(database: Database):
    async with CypherRunner(address_of(database), at_once=1, deadline_s=1.0) as runner, lasting(database, {}):
        await asyncio.sleep(2)
        runner._watch.look_later()
        await until(lambda: runner._watch._watching is not None and runner._watch._watching.done())

        assert not runner.is_stuck


@pytest.mark.slow
async def test_a_query_that_is_ended_in_time_is_looked_after_and_found_gone(database: Database):
    async with CypherRunner(address_of(database), at_once=1, deadline_s=1.0) as runner:
        with pytest.raises(Exception, match="did not answer within"):
            await table_for(everything(), runner, CypherRequest(ENDLESS))
        watching = runner._watch._watching
        assert watching is not None
        async with asyncio.timeout(60):
            await watching

        assert not runner.is_stuck


async def test_only_administrators_query_the_store_and_agents_of_nobody(database: Database, tmp_path: Path):
    asked = CypherRequest("RETURN 1 AS n")

    async with desk_of(settings_of({"home": tmp_path}), database) as desk:
        admins = await table_for(everything(), desk, asked)
        for principal, way in ((RESEARCHER, desk), (RESEARCHER, ForAgents(desk)), (everything(), ForAgents(desk))):
            with pytest.raises(AccessError, match="papergraph db replica"):
                await table_for(principal, way, asked)

    assert admins.rows[0].values == [1]


async def test_agents_and_keys_without_admin_query_the_replica(database: Database):
    store = CypherRunner(Address("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", 8.0), at_once=1, deadline_s=1.0)
    make = partial(CypherRunner, at_once=1, deadline_s=1.0, is_replica=True)
    async with CypherDesk(store, find_replica=lambda: address_of(database), make_runner=make) as desk:
        for principal, way in ((RESEARCHER, desk), (RESEARCHER, ForAgents(desk)), (everything(), ForAgents(desk))):
            table = await table_for(principal, way, CypherRequest("RETURN 1 AS n"))
            assert table.rows[0].values == [1]
        with pytest.raises(DatabaseError):
            await table_for(everything(), desk, CypherRequest("RETURN 1 AS n"))


async def test_a_neo4j_of_an_operator_is_named_in_the_log_every_ten_minutes(database: Database, caplog, monkeypatch):
    watching, now = watch.QueryWatch(address_of(database), deadline_s=1.0), [1000.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    for _ in range(1500):
        watching._be_stuck(True)
        await watching._end()
        now[0] += 1
    watching._be_stuck(False)

    told = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert len(told) == 3 and all(one.endswith("restart this Neo4j") for one in told)


async def test_the_doctor_names_a_query_that_does_not_end(database: Database, monkeypatch):
    statement = cypher.load("doctor/stuck_query")
    quick = replace(statement, text=statement.text.replace("seconds > 80", "milliseconds > 100"))
    async with lasting(database, dict(USER_QUERY)), asyncio.timeout(60):
        while not (found := await database.read(quick, limit=9)):  # noqa: ASYNC110 Neo4j tells nobody
            await asyncio.sleep(0.05)
    assert [one["problem"] for one in found] == ["still runs after its time limit"]


async def test_a_new_replica_has_a_new_runner(database: Database):
    first, second = address_of(database), Address("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", 8.0)
    addresses, made = [first, first, second], []

    def make(address: Address) -> CypherRunner:
        made.append(address)
        return CypherRunner(address, at_once=1, deadline_s=1.0, is_replica=True)

    store = CypherRunner(first, at_once=1, deadline_s=1.0)
    async with CypherDesk(store, find_replica=lambda: addresses.pop(0), make_runner=make) as desk:
        for _ in range(2):
            await table_for(RESEARCHER, desk, CypherRequest("RETURN 1 AS n"))
        with pytest.raises(Exception, match=r"127\.0\.0\.1"):
            await table_for(RESEARCHER, desk, CypherRequest("RETURN 1 AS n"))

    assert made == [first, second]
