import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest
from neo4j import AsyncGraphDatabase, Query
from neo4j.exceptions import IncompleteCommit, Neo4jError, ServiceUnavailable

from papergraph import database as module
from papergraph.database import Database
from papergraph.errors import (
    Code,
    DatabaseUnavailableError,
    DeadlineError,
    IndexUnavailableError,
    QueryError,
    UnknownOutcomeError,
)
from papergraph.neo4j_errors import Transaction, refuse_old_server
from papergraph.revisions import UNSETTLE
from papergraph.statement import Statement

CLASH = "Neo.ClientError.Schema.ConstraintValidationFailed"
ONE = Statement("test/one", "RETURN 1 AS one")
WRITE = Statement("test/write", "CREATE (:Thing)")
BATCHED = Statement("test/batched", "MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS OF 10 ROWS")


@pytest.mark.parametrize(
    "agent", ["Neo4j/2026.09.0", "Neo4j/2026.10.2", "Neo4j/2027.01.0-RC1", "Neo4j/2026.09.0-SNAPSHOT", "Neo4j/2026.9"]
)
def test_a_server_with_search_in_its_cypher_is_taken(agent):
    refuse_old_server(agent)


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        ("Neo4j/2026.08.1", "2026.08.1"),
        ("Neo4j/2025.12.0", "2025.12.0"),
        ("Neo4j/5.26.33", "5.26.33"),
        ("Neo4j/5.27-aura", "5.27-aura"),
        ("Neo4j/4.4.40", "4.4.40"),
        ("Neo4j/dev", "dev"),
        ("Neo4j/", ""),
    ],
)
def test_an_older_or_unknown_server_is_refused_with_what_is_needed(agent, found):
    with pytest.raises(DatabaseUnavailableError) as caught:
        refuse_old_server(agent)

    assert caught.value.code is Code.UNAVAILABLE
    assert f"Neo4j {found} is not supported: papergraph needs 2026.09" in str(caught.value)
    assert "PAPERGRAPH_NEO4J_URI" in str(caught.value)


@pytest.mark.parametrize("uri", ["nonsense", "http://127.0.0.1:7687", ""])
async def test_what_is_no_address_of_a_neo4j_is_told_as_unavailable(uri):
    with pytest.raises(DatabaseUnavailableError, match="is not an address of a Neo4j"):
        await Database.connect(uri, user="neo4j", password="x")


async def test_a_port_where_nothing_listens_is_told_with_its_address(unused_tcp_port):
    uri = f"bolt://127.0.0.1:{unused_tcp_port}"

    with pytest.raises(DatabaseUnavailableError, match=uri):
        await Database.connect(uri, user="neo4j", password="x", deadline_s=5.0)


NO_ADDRESS = "bolt://127.0.0.1:notaport"
"""What the resolver refuses just as a host name that it does not know, here without a look-up."""


async def test_an_address_that_cannot_be_resolved_is_told_as_unavailable():
    with pytest.raises(DatabaseUnavailableError, match="notaport"):
        await Database.connect(NO_ADDRESS, user="neo4j", password="x")


async def test_a_host_whose_name_is_lost_after_the_start_is_told_as_unavailable():
    async with Database(AsyncGraphDatabase.driver(NO_ADDRESS, auth=("neo4j", "x"))) as database:
        with pytest.raises(DatabaseUnavailableError, match="notaport"):
            await database.read(ONE)


# Retries, deadlines and lost commits, against a driver that does what a test says


def neo4j_error(code: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message="said so")


TRANSIENT = "Neo.TransientError.Transaction.DeadlockDetected"


class FakeResult:
    async def __aiter__(self) -> AsyncIterator[str]:
        yield "record"

    async def consume(self) -> None:
        pass


class FakeDriver:
    """Plays ``steps``, one for each ``run`` or ``commit``: an exception is raised, ``None`` works, a float waits."""

    def __init__(self, *run: object, commit: tuple[object, ...] = ()) -> None:
        self.steps = {"run": list(run), "commit": list(commit)}
        self.n_open = self.n_sessions = 0
        self.access: list[object] = []
        self.ran: list[tuple[int, str]] = []
        """The number of the session and the text of each ``run``."""
        self.timeouts: list[float | None] = []
        """Of each ``run`` that is a transaction by itself."""

    def session(self, **options: object) -> "FakeDriver":
        self.access.append(options["default_access_mode"])
        self.n_open += 1
        self.n_sessions += 1
        return self

    async def close(self) -> None:
        self.n_open -= 1

    def cancel(self) -> None:
        pass

    async def begin_transaction(self, **_: object) -> "FakeDriver":
        return self

    async def run(self, query: str | Query, *_: object) -> FakeResult:
        self.ran.append((self.n_sessions, str(query.text if isinstance(query, Query) else query)))
        self.timeouts += [query.timeout] if isinstance(query, Query) else []
        await self._play("run")
        return FakeResult()

    async def commit(self) -> None:
        await self._play("commit")

    async def _play(self, name: str) -> None:
        step = self.steps[name].pop(0) if self.steps[name] else None
        if isinstance(step, Exception):
            raise step
        if isinstance(step, float):
            await asyncio.sleep(step)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE_S", 0.0)


async def write_one(transaction: Transaction) -> str:
    (record,) = await transaction.run(ONE)
    return str(record)


@pytest.mark.parametrize("error", [neo4j_error(TRANSIENT), ServiceUnavailable("gone")], ids=["deadlock", "connection"])
async def test_a_passing_failure_is_tried_again(error):
    driver = FakeDriver(error, error)
    database = Database(driver)

    assert await database.read(ONE) == ["record"]
    assert (driver.n_sessions, driver.n_open) == (3, 0)
    assert database.n_queries == 3


@pytest.mark.parametrize(
    "code",
    ["Neo.TransientError.General.MemoryPoolOutOfMemoryError", "Neo.ClientError.Statement.SyntaxError"],
)
async def test_a_query_that_would_fail_again_is_not_tried_again(code):
    driver = FakeDriver(neo4j_error(code))

    with pytest.raises(QueryError, match="test/one: said so") as caught:
        await Database(driver).read(ONE)

    assert (code, "test/one") == (caught.value.status, caught.value.query)
    assert (driver.n_sessions, driver.n_open) == (1, 0)


async def test_reads_have_the_access_mode_by_which_drivers_send_them_to_followers_and_others_go_to_the_leader():
    driver = FakeDriver()
    database = Database(driver)

    await database.read(ONE)
    await database.run_alone(ONE)
    await database.transact("test", write_one)

    assert driver.access == ["READ", "WRITE", "WRITE"]


async def test_an_index_that_is_missing_or_not_built_yet_is_an_error_of_its_own_and_not_asked_again():
    driver = FakeDriver(neo4j_error("Neo.ClientError.Schema.IndexNotFound"))

    with pytest.raises(IndexUnavailableError) as caught:
        await Database(driver).read(ONE)

    assert (caught.value.code, driver.n_sessions) == (Code.UNAVAILABLE, 1)


async def test_tries_end_with_an_error_of_ours():
    driver = FakeDriver(*[ServiceUnavailable("gone")] * 10)

    with pytest.raises(DatabaseUnavailableError, match="test/one: Neo4j cannot be reached: gone"):
        await Database(driver).read(ONE)

    assert (driver.n_sessions, driver.n_open) == (module.MAX_ATTEMPTS, 0)


@pytest.mark.parametrize(
    "code", ["Neo.ClientError.Security.Unauthorized", "Neo.DatabaseError.Transaction.TransactionStartFailed"]
)
async def test_a_refused_login_and_a_database_that_gave_up_are_told_as_unavailable(code):
    with pytest.raises(DatabaseUnavailableError, match="said so"):
        await Database(FakeDriver(neo4j_error(code))).read(ONE)


async def test_a_call_without_an_answer_ends_at_its_deadline():
    driver = FakeDriver(60.0)

    with pytest.raises(DeadlineError, match=r"test/one did not answer within 0\.05 s") as caught:
        await Database(driver).read(ONE, deadline_s=0.05)

    assert (caught.value.deadline_s, caught.value.code) == (0.05, Code.TIMEOUT)
    assert driver.n_open == 0


async def test_a_server_that_ends_a_query_for_its_time_is_told_as_the_deadline_it_is():
    error = neo4j_error("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration")

    with pytest.raises(DeadlineError):
        await Database(FakeDriver(error)).read(ONE)


async def test_a_transaction_that_failed_before_its_commit_is_done_again():
    driver = FakeDriver(neo4j_error(TRANSIENT))

    assert await Database(driver).transact("write a", write_one) == "record"
    assert (driver.n_sessions, driver.n_open) == (2, 0)


async def test_a_commit_that_the_server_refuses_is_done_again():
    driver = FakeDriver(commit=(neo4j_error(TRANSIENT),))

    assert await Database(driver).transact("write a", write_one) == "record"
    assert driver.n_sessions == 2


@pytest.mark.parametrize("step", [ServiceUnavailable("gone"), 60.0], ids=["broken", "silent"])
async def test_a_commit_without_an_answer_is_an_unknown_outcome_and_is_not_repeated(step):
    driver = FakeDriver(commit=(step,))

    with pytest.raises(UnknownOutcomeError) as caught:
        await Database(driver).transact("write a", write_one, deadline_s=0.2)

    assert caught.value.query == "write a"
    assert (driver.n_sessions, driver.n_open) == (1, 0)


@pytest.mark.parametrize("error", [IncompleteCommit("gone"), neo4j_error(TRANSIENT)], ids=["broken", "refused"])
async def test_an_idempotent_statement_whose_commit_failed_is_done_again(error):
    driver = FakeDriver(commit=(error,))

    assert await Database(driver).run_alone(WRITE) == ["record"]
    assert (driver.n_sessions, driver.n_open) == (2, 0)


@pytest.mark.parametrize(
    ("step", "expected"),
    [(None, nullcontext()), (neo4j_error(CLASH), pytest.raises(QueryError)), (60.0, pytest.raises(DeadlineError))],
    ids=["done", "refused", "silent"],
)
async def test_no_paper_has_a_revision_from_before_a_statement_of_several_transactions_until_it_is_done(step, expected):
    driver = FakeDriver(None, step)

    with expected:
        await Database(driver).run_alone(BATCHED, deadline_s=0.2)

    texts = [UNSETTLE.text, BATCHED.text, *([UNSETTLE.text] if step is None else [])]
    assert driver.ran == list(enumerate(texts, start=1))
    assert (driver.timeouts, driver.n_open) == ([0.2] * len(texts), 0)


async def test_a_statement_of_several_transactions_that_is_cancelled_leaves_papers_without_a_revision():
    driver = FakeDriver(None, 60.0)
    running = asyncio.create_task(Database(driver).run_alone(BATCHED))
    while len(driver.ran) < 2:  # noqa: ASYNC110 it is not told
        await asyncio.sleep(0)

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert [text for _, text in driver.ran] == [UNSETTLE.text, BATCHED.text]


async def test_a_refused_statement_of_a_transaction_is_told_by_both_names():
    driver = FakeDriver(neo4j_error("Neo.ClientError.Schema.ConstraintValidationFailed"))

    with pytest.raises(QueryError, match="write a: test/one: said so"):
        await Database(driver).transact("write a", write_one)


@pytest.mark.parametrize(("committed", "n_sessions"), [("seen", 1), (None, 2)], ids=["committed", "not committed"])
async def test_an_unknown_outcome_is_looked_into_and_the_work_done_again_only_if_it_was_not_committed(
    committed, n_sessions
):
    driver = FakeDriver(commit=(ServiceUnavailable("gone"),))

    async def look() -> str | None:
        return committed

    done = await Database(driver).transact_until_known("write a", write_one, look=look)

    assert (done, driver.n_sessions) == (committed or "record", n_sessions)


@pytest.mark.slow
async def test_an_outcome_that_stays_unknown_is_told():
    driver = FakeDriver(commit=(ServiceUnavailable("gone"),) * 10)

    with pytest.raises(UnknownOutcomeError):
        await Database(driver).transact_until_known("write a", write_one)

    assert driver.n_sessions == module.MAX_ATTEMPTS


@pytest.mark.parametrize(("again_on", "n_sessions"), [({CLASH}, 2), (set(), 1)], ids=["named", "not named"])
async def test_an_error_is_met_by_doing_the_work_again_only_if_it_is_named(again_on, n_sessions):
    driver = FakeDriver(neo4j_error(CLASH))

    with nullcontext() if again_on else pytest.raises(QueryError):
        await Database(driver).transact_until_known("write a", write_one, again_on=again_on)

    assert driver.n_sessions == n_sessions
