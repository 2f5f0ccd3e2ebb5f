"""Errors of Neo4j's driver as ours, and which of them are worth another try."""

from typing import Any

import papergraph.neo4j_import  # noqa: F401 - before the driver

# isort: split
from neo4j import (
    AsyncTransaction,
    Record,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from papergraph.errors import DatabaseError, DatabaseUnavailableError, DeadlineError, IndexUnavailableError, QueryError
from papergraph.revisions import Revisions
from papergraph.statement import Statement
from papergraph.telemetry.statements import SLOW_MS, watched

OLDEST_SUPPORTED = (2026, 9)
"""Calendar version whose Cypher has SEARCH for vector and full-text indexes."""
HOPELESS = frozenset({"Neo.TransientError.General.MemoryPoolOutOfMemoryError"})
"""Errors that Neo4j calls transient although the same query will fail again."""
SCHEMA_CHANGES = "insanely frequent schema changes"
"""Neo4j's message for a query compiled during changes of the schema; its code is that of an unknown error."""
UNUSABLE_DATABASE = frozenset(
    {"Neo.TransientError.General.DatabaseUnavailable", "Neo.DatabaseError.Transaction.TransactionStartFailed"}
)
"""Status codes of a stopping or failed database, for example on a full disk."""

RATE_LIMITED = "Neo.ClientError.Security.AuthenticationRateLimit"
"""Code after several wrong passwords: another server may listen at the address."""
INDEX_NOT_FOUND = "Neo.ClientError.Schema.IndexNotFound"
"""Status of a query whose index is missing (22N69) or still being built (51N63)."""


class Transaction:
    """An open transaction in which statements run; see :meth:`Database.transact`."""

    def __init__(self, inner: AsyncTransaction, *, slow_query_ms: float = SLOW_MS) -> None:
        self._inner = inner
        self._slow_query_ms = slow_query_ms
        self._revisions = Revisions(self.run)

    async def run(self, statement: Statement, **parameters: Any) -> list[Record]:
        """Run ``statement`` and return all of its records; papers that it changes get a revision."""
        await self._revisions.before(statement, parameters)
        with watched(statement.told_as, parameters, slow_ms=self._slow_query_ms) as ran:
            try:
                result = await self._inner.run(statement.text, parameters)
                records = [record async for record in result]
            except Neo4jError as error:
                error.add_note(statement.name)
                raise
            ran.n_records = len(records)
        return records

    async def revise(self) -> None:
        """Give revisions that are to be given at the end."""
        await self._revisions.at_the_end()


def refusal(error: BaseException, *, uri: str, user: str, deadline_s: float) -> DatabaseError | None:
    """Return the error of a failed first connection; None for other errors."""
    if isinstance(error, TimeoutError):
        return DeadlineError(f"the connection to {uri}", deadline_s)
    if isinstance(error, AuthError):
        return DatabaseUnavailableError(
            f"the Neo4j at {uri} refuses user {user!r}: set PAPERGRAPH_NEO4J_USER and PAPERGRAPH_NEO4J_PASSWORD"
        )
    if isinstance(error, ConfigurationError):  # a Bolt without the filter of notifications that we ask for
        return _too_old("5.6 or older")
    if isinstance(error, Neo4jError | DriverError | ValueError):  # ValueError: a name that cannot be resolved
        return DatabaseUnavailableError(
            f"no Neo4j answers at {uri}: {error}; start it (a local one: papergraph db start), or unset "
            "PAPERGRAPH_NEO4J_URI to run a local one"
        )
    return None


def refuse_old_server(agent: str) -> None:
    """Raise ``DatabaseUnavailableError`` unless ``agent``, such as ``Neo4j/2026.09.0``, is new enough."""
    version = agent.rpartition("/")[2]
    numbers = tuple(int(part) for part in version.replace("-", ".").split(".")[:2] if part.isdigit())
    if numbers < OLDEST_SUPPORTED:
        raise _too_old(version)


def _too_old(version: str) -> DatabaseUnavailableError:
    return DatabaseUnavailableError(
        f"Neo4j {version} is not supported: papergraph needs {version_of(OLDEST_SUPPORTED)} or newer, for SEARCH on "
        "full-text and vector indexes. Upgrade the server, or unset PAPERGRAPH_NEO4J_URI to run a local one."
    )


def version_of(numbers: tuple[int, int]) -> str:
    return "{}.{:02}".format(*numbers)


def worth_another_try(error: Neo4jError | DriverError) -> bool:
    """Say whether the same may work at another time; it must be idempotent, for it may be done already."""
    if isinstance(error, IncompleteCommit) or SCHEMA_CHANGES in str(error):
        return True
    return error.is_retryable() and getattr(error, "code", None) not in HOPELESS


def is_lost(error: Neo4jError | DriverError) -> bool:
    """Return whether no server answers at the address, or a server that refuses the password."""
    return (
        isinstance(error, ServiceUnavailable | SessionExpired | AuthError)
        or getattr(error, "code", None) == RATE_LIMITED
    )


def lost_commit(committing: bool, error: Neo4jError | DriverError) -> bool:
    """Say whether ``error`` leaves open if the commit happened; a server's own refusal does not."""
    return committing and isinstance(error, IncompleteCommit | ServiceUnavailable | SessionExpired)


def typed_error(name: str, error: Neo4jError | DriverError, limit_s: float) -> DatabaseError:
    if not isinstance(error, Neo4jError):
        return DatabaseUnavailableError(f"{name}: Neo4j cannot be reached: {error}; a local one: papergraph db start")
    status, detail = error.code or "", error.message or str(error)
    if "TransactionTimedOut" in status:
        return DeadlineError(name, limit_s)
    if isinstance(error, AuthError) or status in UNUSABLE_DATABASE:
        return DatabaseUnavailableError(f"{name}: {detail}")
    kind = IndexUnavailableError if status == INDEX_NOT_FOUND else QueryError
    return kind(": ".join([name, *getattr(error, "__notes__", [])]), detail, status=status)
