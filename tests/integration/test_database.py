"""The one way to Neo4j, on a real server: lost replies, runaway queries, refused logins, cancelled calls."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import DatabaseUnavailableError, DeadlineError, QueryError, UnknownOutcomeError
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.neo4j_errors import Transaction
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.ingestion import ingest
from tests.support.tcp_proxy import Fault, Proxy

PAPER = Path("ingest/samples/surface-code-logical-error-rates.md").absolute()

ONE = Statement("test/one", "RETURN 1 AS one")
MANY = Statement("test/many", "UNWIND range(1, 100000) AS number RETURN number")
WRITE = Statement("test/write", "CREATE (:Thing {name: $name})")
COUNT = Statement("test/count", "MATCH (thing:Thing) RETURN count(thing) AS n")
NAMES = Statement("test/names", "MATCH (thing:Thing) RETURN thing.name AS name ORDER BY name")
ENDLESS = Statement(
    "test/endless", "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN sum(a * b) AS marked_endless"
)
RUNNING = Statement(
    "test/running",
    "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'marked_' + 'endless' RETURN count(*) AS n",
)
TRANSACTION_LIMIT = Statement(
    "test/limit", "SHOW SETTINGS 'db.memory.transaction.max' YIELD value RETURN value AS limit"
)

DEADLINE_S = 2.0
LATE_S = 15.0
"""How much later than its deadline a call may end on a busy machine."""


@pytest_asyncio.fixture
async def proxy(neo4j_server: Neo4jServer) -> AsyncIterator[Proxy]:
    async with Proxy(neo4j_server.uri) as proxy:
        yield proxy


@pytest_asyncio.fixture
async def far(neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, proxy: Proxy) -> AsyncIterator[Database]:
    """The test's store, reached through ``proxy``."""
    async with await Database.connect(
        proxy.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        yield database
        proxy.fault = Fault.NONE  # else closing would wait


@pytest.fixture
def near(neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer) -> Database:
    """The test's store without ``proxy``, prepared or not."""
    return Database(neo4j_driver, name=neo4j_server.database)


async def until(is_so: Callable[[], object], *, timeout_s: float = 15.0) -> None:
    """Wait until ``is_so`` awaits to something true."""
    async with asyncio.timeout(timeout_s):
        while not await is_so():  # type: ignore[misc]  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def write_one(transaction: Transaction) -> str:
    await transaction.run(WRITE, name="one")
    return "written"


# Replies that never come (docs/integrity.md: the driver alone waits two minutes)


@pytest.mark.slow
async def test_a_read_without_a_reply_ends_at_our_deadline_and_the_next_one_works(far: Database, proxy: Proxy):
    assert await far.read(ONE)
    proxy.fault = Fault.SILENCE
    start = time.perf_counter()

    with pytest.raises(DeadlineError, match="test/one did not answer within 2 s"):
        await far.read(ONE, deadline_s=DEADLINE_S)

    assert DEADLINE_S <= time.perf_counter() - start < DEADLINE_S + LATE_S
    proxy.fault = Fault.NONE
    assert [record["one"] for record in await far.read(ONE)] == [1]


@pytest.mark.slow
async def test_a_transaction_without_a_reply_ends_at_our_deadline_with_nothing_written(
    far: Database, near: Database, proxy: Proxy
):
    await far.transact("warm up", lambda transaction: transaction.run(ONE))
    proxy.fault = Fault.SILENCE
    start = time.perf_counter()

    with pytest.raises(DeadlineError, match="write one did not answer within 2 s"):
        await far.transact("write one", write_one, deadline_s=DEADLINE_S)

    assert time.perf_counter() - start < DEADLINE_S + LATE_S
    proxy.fault = Fault.NONE
    assert (await near.read(COUNT))[0]["n"] == 0
    assert await far.transact("write one", write_one) == "written"
    assert (await near.read(COUNT))[0]["n"] == 1


@pytest.mark.slow
async def test_more_silent_calls_than_the_pool_has_connections_do_not_use_it_up(far: Database, proxy: Proxy):
    proxy.fault = Fault.SILENCE
    start = time.perf_counter()

    answers = await asyncio.gather(*(far.read(ONE, deadline_s=DEADLINE_S) for _ in range(120)), return_exceptions=True)

    assert {type(answer) for answer in answers} == {DeadlineError}
    assert time.perf_counter() - start < DEADLINE_S + 2 * LATE_S
    proxy.fault = Fault.NONE
    works = await asyncio.gather(*(far.read(ONE) for _ in range(120)))
    assert [[record["one"] for record in records] for records in works] == [[1]] * 120


@pytest.mark.slow
async def test_a_reply_that_stops_in_the_middle_ends_at_our_deadline(far: Database, proxy: Proxy):
    reading = asyncio.create_task(far.read(MANY, deadline_s=3 * DEADLINE_S))
    async with asyncio.timeout(3 * DEADLINE_S):
        while proxy.n_reply_bytes < 100_000:  # noqa: ASYNC110 the login is shorter, all rows are longer
            await asyncio.sleep(0.001)
    proxy.fault = Fault.SILENCE

    with pytest.raises(DeadlineError):
        await reading

    proxy.fault = Fault.NONE
    assert len(await far.read(MANY, deadline_s=60.0)) == 100_000


async def test_an_address_of_a_cluster_leads_to_a_single_server_too_and_each_read_sees_the_write_before(
    near: Database, neo4j_server: Neo4jServer
):
    uri = neo4j_server.uri.replace("bolt://", "neo4j://")
    async with await Database.connect(
        uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as routed:
        await routed.transact("write one", write_one)
        await routed.run_alone(WRITE, name="two")

        assert [record["name"] for record in await routed.read(NAMES)] == ["one", "two"]


@pytest.mark.slow
async def test_connecting_to_a_server_that_says_nothing_ends_at_our_deadline(neo4j_server: Neo4jServer, proxy: Proxy):
    proxy.fault = Fault.SILENCE
    start = time.perf_counter()

    with pytest.raises(DeadlineError, match=re.escape(f"the connection to {proxy.uri} did not answer within 2 s")):
        await Database.connect(proxy.uri, user=neo4j_server.user, password="x", deadline_s=DEADLINE_S)

    assert time.perf_counter() - start < DEADLINE_S + LATE_S


# Connections that break at commit (M2 and M7)


@pytest.mark.parametrize(("fault", "n_written"), [(Fault.COMMIT_CUT, 0), (Fault.COMMIT_REPLY_CUT, 1)])
async def test_a_connection_that_breaks_at_commit_is_an_unknown_outcome(
    far: Database, near: Database, proxy: Proxy, fault: Fault, n_written: int
):
    proxy.fault = fault

    with pytest.raises(UnknownOutcomeError, match="write one: the connection broke at commit") as caught:
        await far.transact("write one", write_one)

    assert caught.value.query == "write one"
    assert (proxy.n_commits, far.n_queries) == (1, 1)
    assert (await near.read(COUNT))[0]["n"] == n_written


@pytest.mark.slow
async def test_a_commit_without_a_reply_within_the_deadline_is_an_unknown_outcome(
    far: Database, near: Database, proxy: Proxy
):
    async def work(transaction: Transaction) -> None:
        await transaction.run(replace(WRITE, is_file=True), name="one")  # revises nothing, so that the commit is next
        proxy.fault = Fault.SILENCE

    with pytest.raises(UnknownOutcomeError, match="did not answer within 2 s"):
        await far.transact("write one", work, deadline_s=DEADLINE_S)

    assert (await near.read(COUNT))[0]["n"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.COMMIT_CUT, Fault.COMMIT_REPLY_CUT])
async def test_a_paper_whose_commit_was_lost_is_looked_for_and_reported_as_what_it_is(
    database: Database, far: Database, embedder: Embedder, proxy: Proxy, fault: Fault
):
    await ingest(database, embedder, [PAPER])
    expected = await graph_checksum(database)
    await delete(database, [str(PAPER)])
    proxy.fault = fault

    report = await ingest(far, embedder, [PAPER])

    assert [item.outcome for item in report.items] == [WriteOutcome.ADDED]
    assert proxy.n_cuts == 0
    assert (await graph_checksum(database)).same_graph(expected)
    assert [record["n_papers"] for record in await database.read(cypher.load("papers/count"), collection="main")] == [1]


@pytest.mark.slow
async def test_a_paper_whose_commits_all_break_is_an_unknown_outcome_and_nothing_half(
    database: Database, far: Database, embedder: Embedder, proxy: Proxy
):
    proxy.fault, proxy.n_cuts = Fault.COMMIT_CUT, 1000

    with pytest.raises(UnknownOutcomeError):
        await ingest(far, embedder, [PAPER])

    assert (await graph_checksum(database)).n_nodes == 0


@pytest.mark.parametrize("fault", [Fault.COMMIT_CUT, Fault.COMMIT_REPLY_CUT])
async def test_a_deletion_whose_commit_was_lost_is_done_and_told(
    database: Database, far: Database, embedder: Embedder, proxy: Proxy, fault: Fault
):
    await ingest(database, embedder, [PAPER])
    proxy.fault = fault

    assert await delete(far, [str(PAPER)]) == [f"file:{PAPER}"]

    assert (await graph_checksum(database)).n_nodes == 0


# Queries that the server ends or refuses


async def test_a_query_over_the_memory_limit_fails_at_once_and_is_not_tried_again(near: Database):
    (setting,) = await near.read(TRANSACTION_LIMIT)
    megabytes = float(re.fullmatch(r"([\d.]+)MiB", setting["limit"])[1])  # type: ignore[index]
    text = "x" * 10_000  # long texts reach the limit in few rows, and so soon on a slow machine too
    too_many = int(megabytes * 1024 * 1024 / len(text))
    before = near.n_queries

    with pytest.raises(QueryError) as caught:
        await near.read(
            Statement("test/greedy", "UNWIND range(1, $n) AS number RETURN size(collect(number + $text)) AS n"),
            n=too_many,
            text=text,
        )

    assert caught.value.status == "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    assert near.n_queries == before + 1
    assert await near.read(ONE, deadline_s=DEADLINE_S)


async def test_a_query_that_runs_away_ends_at_our_deadline_and_soon_on_the_server_too(near: Database):
    start = time.perf_counter()

    with pytest.raises(DeadlineError, match="test/endless did not answer within 1 s"):
        await near.read(ENDLESS, deadline_s=1.0)

    assert time.perf_counter() - start < 1.0 + LATE_S

    async def ended() -> bool:
        return (await near.read(RUNNING))[0]["n"] == 0

    await until(ended)


async def test_a_syntax_error_is_told_with_the_querys_name_and_not_tried_again(near: Database):
    before = near.n_queries

    with pytest.raises(QueryError, match=r"test/wrong: .*Invalid input 'RETRUN'") as caught:
        await near.read(Statement("test/wrong", "RETRUN 1"))

    assert (caught.value.query, caught.value.status) == ("test/wrong", "Neo.ClientError.Statement.SyntaxError")
    assert near.n_queries == before + 1


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (:Thing)",
        "MATCH (thing:Thing) DETACH DELETE thing",
        "CREATE INDEX stray IF NOT EXISTS FOR (thing:Thing) ON (thing.name)",
    ],
)
async def test_a_read_refuses_to_write(near: Database, text: str):
    with pytest.raises(QueryError) as caught:
        await near.read(Statement("test/write", text))

    assert caught.value.status == "Neo.ClientError.Statement.AccessMode"
    assert (await near.read(COUNT))[0]["n"] == 0


async def test_a_statement_refused_within_a_transaction_takes_the_whole_with_it(near: Database):
    async def work(transaction: Transaction) -> None:
        await transaction.run(WRITE, name="one")
        await transaction.run(Statement("test/zero", "RETURN 1 / 0"))

    with pytest.raises(QueryError, match=r"write and fail: test/zero: .*by zero"):
        await near.transact("write and fail", work)

    assert (await near.read(COUNT))[0]["n"] == 0


async def test_an_error_of_ours_within_a_transaction_rolls_it_back_and_comes_out(near: Database):
    async def work(transaction: Transaction) -> None:
        await transaction.run(WRITE, name="one")
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        await near.transact("write and fail", work)

    assert (await near.read(COUNT))[0]["n"] == 0


async def test_transactions_that_lock_each_other_out_both_come_through(near: Database):
    for name in ("a", "b"):
        await near.run_alone(WRITE, name=name)
    lock = Statement("test/lock", "MATCH (thing:Thing {name: $name}) SET thing.n = coalesce(thing.n, 0) + 1")
    both_hold_one = asyncio.Barrier(2)
    n_attempts = 0

    def locking(*names: str) -> Callable[[Transaction], object]:
        first_time = True

        async def work(transaction: Transaction) -> None:
            nonlocal first_time, n_attempts
            n_attempts += 1
            await transaction.run(lock, name=names[0])
            if first_time:
                first_time = False
                await both_hold_one.wait()
            await transaction.run(lock, name=names[1])

        return work

    await asyncio.gather(
        near.transact("a before b", locking("a", "b")),  # type: ignore[arg-type]
        near.transact("b before a", locking("b", "a")),  # type: ignore[arg-type]
    )

    counts = await near.read(Statement("test/counts", "MATCH (thing:Thing) RETURN thing.n AS n"))
    assert [record["n"] for record in counts] == [2, 2]
    assert n_attempts >= 3


# Cancelled calls


async def test_a_cancelled_read_ends_at_once_here_and_soon_on_the_server(near: Database):
    async def runs() -> bool:
        return (await near.read(RUNNING))[0]["n"] == 1

    async def ended() -> bool:
        return not await runs()

    reading = asyncio.create_task(near.read(ENDLESS, deadline_s=60.0))
    await until(runs)
    start = time.perf_counter()
    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading

    assert time.perf_counter() - start < 30.0
    await until(ended)
    assert await near.read(ONE)


async def test_a_cancelled_transaction_writes_nothing(near: Database):
    has_written = asyncio.Event()

    async def work(transaction: Transaction) -> None:
        await transaction.run(WRITE, name="one")
        has_written.set()
        await asyncio.sleep(60)

    writing = asyncio.create_task(near.transact("write and wait", work, deadline_s=60.0))
    await has_written.wait()
    writing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await writing

    assert (await near.read(COUNT))[0]["n"] == 0
    assert await near.transact("write one", write_one) == "written"


# Logins and addresses


async def test_a_wrong_password_names_the_settings_and_not_the_password(neo4j_server: Neo4jServer):
    with pytest.raises(DatabaseUnavailableError, match="refuses user 'neo4j'") as caught:
        await Database.connect(neo4j_server.uri, user="neo4j", password="hunter2-secret")

    assert "PAPERGRAPH_NEO4J_USER and PAPERGRAPH_NEO4J_PASSWORD" in str(caught.value)
    assert "hunter2" not in str(caught.value) + repr(caught.value) + str(caught.value.__cause__)


async def test_nothing_that_listens_is_told_with_the_address(unused_tcp_port: int):
    start = time.perf_counter()

    with pytest.raises(DatabaseUnavailableError, match=f"no Neo4j answers at bolt://127.0.0.1:{unused_tcp_port}"):
        await Database.connect(f"bolt://127.0.0.1:{unused_tcp_port}", user="neo4j", password="x")

    assert time.perf_counter() - start < 15


async def test_a_server_of_another_kind_is_told_as_unavailable(neo4j_server: Neo4jServer):
    http_port = neo4j_server.http_url.rstrip("/").rpartition(":")[2]

    with pytest.raises(DatabaseUnavailableError, match="no Neo4j answers"):
        await Database.connect(f"bolt://127.0.0.1:{http_port}", user="neo4j", password="x")


async def test_a_database_that_does_not_exist_is_told_when_it_is_read(neo4j_server: Neo4jServer):
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name="elsewhere"
    ) as database:
        with pytest.raises(QueryError, match="elsewhere"):
            await database.read(ONE)


async def test_a_server_that_goes_away_between_two_reads_is_told_as_unavailable(neo4j_server: Neo4jServer):
    async with Proxy(neo4j_server.uri) as proxy:
        database = await Database.connect(proxy.uri, user=neo4j_server.user, password=neo4j_server.password)
        assert await database.read(ONE)

    async with database:
        with pytest.raises(DatabaseUnavailableError, match="test/one: Neo4j cannot be reached"):
            await database.read(ONE)
