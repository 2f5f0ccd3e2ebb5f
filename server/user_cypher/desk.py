"""Where user-supplied Cypher runs: that of administrators on the store, that of other keys on the local snapshot.

One query can end the Neo4j that runs it (docs/cypher.md), and the store's Neo4j serves everybody.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol, Self

from papergraph.errors import ForbiddenError
from papergraph.store import Address
from server.user_cypher.runner import CypherRunner, MayRead, Piece, Question

WITHOUT_SNAPSHOT = "Run papergraph db snapshot on the server, or set PAPERGRAPH_CYPHER_LIVE=true there."


class RunsCypher(Protocol):
    """What runs queries of users."""

    deadline_s: float

    def ask(
        self, asker: str, question: Question, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query; see :meth:`server.user_cypher.runner.CypherRunner.ask`."""


class CypherDesk:
    """Gives each query to the runner that it is for; open it with ``async with``."""

    def __init__(
        self,
        store: CypherRunner,
        *,
        find_snapshot: Callable[[], Address | None] | None,
        make_runner: Callable[[Address], CypherRunner],
    ) -> None:
        """Connect to nothing yet.

        Args:
            store: Runs the queries of administrators, and of all where no snapshot is to be found.
            find_snapshot: Returns the address of the snapshot for other keys, None if there is none now.
            make_runner: Makes the runner of a snapshot.
        """
        self._store, self._find_snapshot, self._make_runner = store, find_snapshot, make_runner
        self._snapshot: tuple[Address, CypherRunner] | None = None
        self._opened = AsyncExitStack()
        self.deadline_s = store.deadline_s

    @property
    def is_stuck(self) -> bool:
        """Whether a query that was ended still runs in a Neo4j, which gets no more of them."""
        return self._store.is_stuck or (self._snapshot is not None and self._snapshot[1].is_stuck)

    async def __aenter__(self) -> Self:
        self._opened.push_async_exit(self._store)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    def ask(
        self, asker: str, question: Question, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query where it is to run; see :meth:`server.user_cypher.runner.CypherRunner.ask`.

        Raises:
            ForbiddenError: The key lacks ``admin``, there is no snapshot, and the store is not for such keys.
            PapergraphError: As of :meth:`server.user_cypher.runner.CypherRunner.ask`.
        """
        runner = (
            self._store if whatever or self._find_snapshot is None else self._snapshot_runner(self._find_snapshot())
        )
        return runner.ask(asker, question, may_read=may_read, whatever=whatever)

    def _snapshot_runner(self, address: Address | None) -> CypherRunner:
        """Return the runner of the snapshot at an address, a new one if there was another snapshot before."""
        if address is None:
            raise ForbiddenError("Cypher on the live store", "admin", advice=WITHOUT_SNAPSHOT)
        if self._snapshot is None or self._snapshot[0] != address:
            runner = self._make_runner(address)
            self._opened.push_async_exit(runner)
            self._snapshot = address, runner
        return self._snapshot[1]
