"""What papergraph does in a Neo4j cluster: the driver routes by access mode, and reads see what was written before."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from papergraph import database as module
from papergraph.database import Database
from papergraph.errors import DatabaseUnavailableError, DeadlineError
from papergraph.neo4j_errors import Transaction
from papergraph.statement import Statement
from tests.support.bolt_cluster import Cluster

READ = Statement("test/read", "MATCH (n) RETURN count(n) AS n")
WRITE = Statement("test/write", "CREATE (n:ApiKey) RETURN 1 AS n", is_file=True)
DEADLINE_S = 3.0
LATE_S = 15.0


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE_S", 0.02)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with Cluster() as cluster:
        yield cluster


@pytest.fixture
async def database(cluster: Cluster) -> AsyncIterator[Database]:
    async with await connected(cluster) as database:
        yield database


async def connected(cluster: Cluster) -> Database:
    return await Database.connect(cluster.uri, user="neo4j", password="x", deadline_s=DEADLINE_S)


async def write(transaction: Transaction) -> int:
    (record,) = await transaction.run(WRITE)
    return int(record["n"])


async def test_reads_go_to_followers_in_turn_and_writes_to_the_leader(cluster, database):
    for _ in range(4):
        await database.read(READ)
        await database.rows(READ)
    await database.run_alone(WRITE)
    await database.transact("write", write)

    reads, writes = cluster.asked[:-2], cluster.asked[-2:]
    assert {(one.member, one.mode) for one in reads} == {(1, "r"), (2, "r")}
    assert [(one.member, one.mode) for one in writes] == [(0, "w"), (0, "w")]
    assert cluster.n_committed == 2


async def test_statements_of_people_and_exports_are_read_from_followers_too(cluster, database):
    await database.ask(READ, {}, most=10)
    await database.explain(READ, {})
    await database.state()
    async with database.streamed(READ, {}, deadline_s=DEADLINE_S) as result:
        assert [record["n"] async for record in result] == [0]

    assert {one.mode for one in cluster.asked} == {"r"}
    assert 0 not in {one.member for one in cluster.asked}


@pytest.mark.parametrize("in_transaction", [True, False], ids=["transaction", "statement alone"])
async def test_a_read_after_a_write_sees_it_on_every_follower(cluster, database, in_transaction):
    for n_written in range(1, 4):
        if in_transaction:
            await database.transact("write", write)
        else:
            await database.run_alone(WRITE)
        found = await asyncio.gather(*(database.read(READ) for _ in range(4)))
        assert [records[0]["n"] for records in found] == [n_written] * 4

    assert {member.n_known for member in cluster.members} == {3}


async def test_a_write_sees_what_another_follower_has_shown(cluster, database):
    """What was read on one server is known wherever the next statement runs."""
    cluster.members[1].n_known = cluster.members[2].n_known = 5

    await database.read(READ)
    await database.run_alone(WRITE)

    assert cluster.asked[-1].bookmarks == ("double:5",)


async def test_another_process_may_not_see_it_yet(cluster, database):
    async with await connected(cluster) as other:
        await database.run_alone(WRITE)

        assert [(await other.read(READ))[0]["n"] for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("in_transaction", [True, False], ids=["transaction", "statement alone"])
async def test_a_write_follows_the_leader_when_it_moves_and_is_done_once(cluster, database, in_transaction):
    await database.run_alone(WRITE)
    cluster.lead(1)

    await (database.transact("write", write) if in_transaction else database.run_alone(WRITE))

    assert [one.member for one in cluster.asked] == [0, 0, 1]
    assert cluster.n_committed == 2


async def test_a_write_waits_for_a_routing_table_that_knows_the_new_leader(cluster, database):
    await database.run_alone(WRITE)
    cluster.leader = 1  # nobody has told the routers yet
    writing = asyncio.create_task(database.run_alone(WRITE))
    while len(cluster.asked) < 2:  # noqa: ASYNC110 it is not told
        await asyncio.sleep(0.001)
    cluster.lead(1)

    await writing

    assert cluster.asked[-1].member == 1
    assert cluster.n_committed == 2


async def test_a_leader_that_is_gone_for_a_while_is_told_within_the_deadline_and_reads_go_on(cluster, database):
    await database.run_alone(WRITE)
    await cluster.members[0].stop()
    began = time.monotonic()

    with pytest.raises(DatabaseUnavailableError):
        await database.transact("write", write)

    assert time.monotonic() - began < DEADLINE_S + LATE_S
    assert (await database.read(READ))[0]["n"] == 1
    cluster.lead(2)
    await database.transact("write", write)
    assert (cluster.asked[-1].member, cluster.n_committed) == (2, 2)


@pytest.mark.parametrize("gone", [1, 2])
async def test_a_read_goes_to_another_follower_when_one_is_gone(cluster, database, gone):
    for _ in range(4):
        await database.read(READ)
    await cluster.members[gone].stop()
    cluster.asked.clear()

    for _ in range(4):
        await database.read(READ)

    assert {one.member for one in cluster.asked} == {3 - gone}


async def test_a_cluster_that_is_gone_is_told_by_a_typed_error_within_the_deadline(cluster, database):
    await database.read(READ)
    for member in cluster.members:
        await member.stop()
    began = time.monotonic()

    with pytest.raises(DatabaseUnavailableError, match="test/read: Neo4j cannot be reached"):
        await database.read(READ)
    with pytest.raises(DatabaseUnavailableError, match="write: Neo4j cannot be reached"):
        await database.transact("write", write)
    with pytest.raises(DatabaseUnavailableError, match="no Neo4j answers at neo4j://"):
        await connected(cluster)

    assert time.monotonic() - began < 3 * DEADLINE_S + LATE_S


async def test_a_cluster_that_is_back_is_used_without_a_new_start(cluster, database):
    await database.read(READ)
    for member in cluster.members:
        await member.stop()
    with pytest.raises(DatabaseUnavailableError):
        await database.read(READ)
    for member in cluster.members:
        await member.start()

    await database.read(READ)
    await database.run_alone(WRITE)

    assert cluster.n_committed == 1


async def test_a_cluster_that_is_silent_is_told_at_the_deadline(cluster):
    async with await connected(cluster) as database:
        for member in cluster.members:
            member.is_silent = True

        with pytest.raises(DeadlineError):
            await database.read(READ, deadline_s=0.3)
        with pytest.raises(DeadlineError):
            await database.transact("write", write, deadline_s=0.3)
