"""Connections of researchers' queries: each through a meter of bytes, with errors in words for their authors."""

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace

from papergraph.bolt_limit import LimitedBolt
from papergraph.database import Database
from papergraph.errors import CypherDeadlineError, CypherError, DatabaseUnavailableError, DeadlineError, QueryError
from papergraph.store import Address

WIRE_BYTES = 16 * 1024 * 1024
"""How long an answer of Neo4j's may be to one request of the driver's, for a hundred rows."""

OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
THEIRS = "Neo.ClientError."
"""How the codes of errors begin that whoever wrote the query can mend."""

PLACE = re.compile(r"\(line (\d+), column (\d+) \(offset: (\d+)\)\)")
EXPLAIN = "EXPLAIN "


class Connection:
    """A connection of its own through a metered way; one query uses it at a time."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._stack = AsyncExitStack()
        self._meter: LimitedBolt | None = None
        self._database: Database | None = None
        self._connected_uri = ""

    async def database(self) -> Database:
        """Connect, or return what is connected already.

        Raises:
            DatabaseError: Nothing answers at the address.
        """
        if (uri := self._uri()) != self._connected_uri:
            await self.close()
            async with AsyncExitStack() as stack:
                meter = await stack.enter_async_context(LimitedBolt(uri, most_bytes=WIRE_BYTES))
                self._database = await stack.enter_async_context(
                    await replace(self._address, uri=meter.uri, home=None).connect()
                )
                self._meter, self._stack, self._connected_uri = meter, stack.pop_all(), uri
        assert self._database is not None  # noqa: S101 for mypy
        return self._database

    async def close(self) -> None:
        """Close what is open."""
        self._connected_uri = ""
        await self._stack.aclose()

    def _uri(self) -> str:
        find = self._address.find_uri
        return (find and find()) or self._address.uri

    @contextmanager
    def telling(self, *, explained: bool = False) -> Iterator[None]:
        """Tell whoever wrote the query of its errors: Neo4j's, and that a value is too large to be sent.

        Args:
            explained: Whether Neo4j is asked for the plan, so that its words are of a longer text.
        """
        if self._meter is not None:
            self._meter.is_cut = False
        try:
            yield
        except DeadlineError as error:
            raise CypherDeadlineError(error.deadline_s) from error
        except DatabaseUnavailableError as error:
            if self._meter is not None and self._meter.is_cut:
                raise CypherError(
                    f"A few rows have more than {WIRE_BYTES:,} bytes. Return fewer or smaller values."
                ) from error
            raise
        except QueryError as error:
            if error.status == OUT_OF_MEMORY:
                raise CypherError("The query needs too much memory. Match less, or aggregate less.") from error
            if error.status.startswith(THEIRS):
                raise CypherError(as_written(error.detail) if explained else error.detail) from error
            raise


def as_written(detail: str) -> str:
    """Return Neo4j's words on a query that it was to explain, with places in the query as it was written."""
    found = PLACE.search(detail)
    if found is None:
        return detail
    line, column, offset = (int(number) for number in found.groups())
    column -= len(EXPLAIN) if line == 1 else 0
    told = f"(line {line}, column {column} (offset: {offset - len(EXPLAIN)}))"
    detail = f"{detail[: found.start()]}{told}{detail[found.end() :]}".replace(f'"{EXPLAIN}', '"', 1)
    words, end, caret = detail.rpartition("\n")
    return f"{words}{end}{caret[len(EXPLAIN) :]}" if line == 1 and not caret.strip(" ^") else detail
