"""Each call to the database fails once, before or after it was done; the graph is whole, and then what it should be."""

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from neo4j.exceptions import Neo4jError, ServiceUnavailable, SessionExpired

from papergraph import database as database_module
from papergraph.database import Database
from papergraph.errors import DatabaseError, NotFoundError
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from tests.pytest_neo4j import wipe
from tests.support.graphs import assert_healthy
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest
from tests.support.library import KEEP

pytestmark = [pytest.mark.slow, pytest.mark.faults]

MOST_TRIES = 3
ROUNDS_PER_SEED = 6
PAPERS = {
    "kept.md": "---\nauthors: [Ada Lind, Ben Okoro]\n---\n# Kept\n\nIt stays.\n\n## Method\n\nAs it is.\n",
    "changed.md": "---\nauthors: [Ada Lind]\n---\n# Changed\n\nIt was short.\n",
    "gone.md": "---\nauthors: [Fay Hart, ADA LIND]\n---\n# Gone\n\nIt goes.\n",
}
CHANGED = "---\nauthors: [Chen Wei]\n---\n# Changed\n\nIt is longer now.\n\n## Results\n\nMuch longer.\n"


@dataclass
class Fault:
    """The n-th call fails with an error, before it is done or after."""

    n: int
    error: Callable[[], Exception]
    afterwards: bool
    n_calls: int = 0

    async def __call__(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self.n_calls += 1
        fails = self.n_calls == self.n
        if fails and not self.afterwards:
            raise self.error()
        result = await call(*arguments, **options)
        if fails:
            raise self.error()
        return result


class FaultyDriver:
    """A driver whose sessions and transactions ask ``fault`` before each call that goes over the wire."""

    def __init__(self, driver: Any, fault: Fault) -> None:
        self._driver, self._fault = driver, fault

    def session(self, **options: Any) -> "FaultySession":
        return FaultySession(self._driver.session(**options), self._fault)


class FaultySession:
    def __init__(self, session: Any, fault: Fault) -> None:
        self._session, self._fault = session, fault

    async def run(self, *arguments: Any) -> Any:
        return await self._fault(self._session.run, *arguments)

    async def begin_transaction(self, **options: Any) -> "FaultyTransaction":
        return FaultyTransaction(await self._fault(self._session.begin_transaction, **options), self._fault)

    async def close(self) -> None:
        await self._session.close()

    def cancel(self) -> None:
        self._session.cancel()


class FaultyTransaction:
    def __init__(self, transaction: Any, fault: Fault) -> None:
        self._transaction, self._fault = transaction, fault

    async def run(self, *arguments: Any) -> Any:
        return await self._fault(self._transaction.run, *arguments)

    async def commit(self) -> None:
        await self._fault(self._transaction.commit)


def deadlock() -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code="Neo.TransientError.Transaction.DeadlockDetected", message="a deadlock")


def refusal() -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code="Neo.DatabaseError.General.UnknownError", message="no reason is told")


KINDS: dict[str, tuple[Callable[[], Exception], bool]] = {
    "the server is gone": (lambda: ServiceUnavailable("the connection was closed"), False),
    "the server is gone afterwards": (lambda: ServiceUnavailable("the connection was closed"), True),
    "the session has expired": (lambda: SessionExpired("the session has expired"), False),
    "the session has expired afterwards": (lambda: SessionExpired("the session has expired"), True),
    "a deadlock": (deadlock, False),
    "the server refuses": (refusal, False),
}


class User:
    """Ingests papers, changes one, deletes one, and repeats each command until it works."""

    def __init__(self, database: Database, embedder: HashEmbedder, folder: Path) -> None:
        self._database, self._embedder, self._folder = database, embedder, folder
        self.n_errors = 0

    async def work(self, look: Callable[[], Awaitable[None]]) -> None:
        """Do it all, and ``look`` after each error."""
        for name, text in PAPERS.items():
            (self._folder / name).write_text(text)
        await self._insist(self._ingest, look)
        (self._folder / "changed.md").write_text(CHANGED)
        await self._insist(self._ingest, look)
        await self._insist(self._delete, look)

    async def _insist(self, command: Callable[[], Awaitable[None]], look: Callable[[], Awaitable[None]]) -> None:
        for _ in range(MOST_TRIES):
            try:
                return await command()
            except DatabaseError:
                self.n_errors += 1
                await look()
        raise AssertionError(f"it did not work {MOST_TRIES} times, with one fault")

    async def _ingest(self) -> None:
        assert not (await ingest(self._database, self._embedder, [self._folder])).failed

    async def _delete(self) -> None:
        with suppress(NotFoundError):  # the error came after it was deleted
            await delete(self._database, [str(self._folder / "gone.md")])


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "FIRST_PAUSE_S", 0.001)


@pytest_asyncio.fixture
async def expected(empty_store: Database, hashed: HashEmbedder, tmp_path: Path) -> GraphChecksum:
    """What the user's work leaves without a fault."""
    await User(empty_store, hashed, tmp_path).work(no_look)
    return await graph_checksum(empty_store)


async def test_a_call_that_fails_leaves_the_graph_whole(empty_store, hashed, tmp_path, expected, seed):
    choice = random.Random(seed)  # noqa: S311
    n_calls = await calls_of(empty_store, hashed, tmp_path)

    for _ in range(ROUNDS_PER_SEED):
        await fail_once(
            empty_store, hashed, tmp_path, expected, n=choice.randint(1, n_calls), kind=choice.choice([*KINDS])
        )


@pytest.mark.by_hand
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(1800)
async def test_every_call_that_fails_leaves_the_graph_whole(empty_store, hashed, tmp_path, expected, kind):
    n_calls = await calls_of(empty_store, hashed, tmp_path)

    n_errors = [await fail_once(empty_store, hashed, tmp_path, expected, n=n, kind=kind) for n in range(1, n_calls + 1)]

    print(f"{kind}: each of {n_calls} calls failed once; the user had to repeat a command {sum(n_errors)} times")


async def no_look() -> None:
    """Look at nothing."""


async def calls_of(database: Database, embedder: HashEmbedder, folder: Path) -> int:
    """Return how many calls the user's work takes."""
    never = Fault(0, deadlock, afterwards=False)
    await wipe(database.driver, database=database.name, keep=KEEP)
    await User(Database(FaultyDriver(database.driver, never), name=database.name), embedder, folder).work(no_look)  # type: ignore[arg-type]
    assert never.n_calls > 30
    return never.n_calls


async def fail_once(
    database: Database, embedder: HashEmbedder, folder: Path, expected: GraphChecksum, *, n: int, kind: str
) -> int:
    """Let the n-th call of the user's work fail, compare the graph, and return how often a command was repeated."""
    error, afterwards = KINDS[kind]
    fault = Fault(n, error, afterwards)
    await wipe(database.driver, database=database.name, keep=KEEP)
    user = User(Database(FaultyDriver(database.driver, fault), name=database.name), embedder, folder)  # type: ignore[arg-type]

    await user.work(lambda: assert_healthy(database))

    assert fault.n_calls >= n
    assert (await graph_checksum(database)).same_graph(expected), f"call {n}: {kind}"
    return user.n_errors
