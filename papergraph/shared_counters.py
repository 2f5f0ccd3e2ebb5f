"""Counters and slots of one process, or shared by the processes of a server.

Shared ones are in a SQLite file that lives as long as the server. A statement takes about 20 µs and is atomic between
processes; SQLite's own locks end with the process that holds them. Slots are stored with their process id, so that
the supervisor can release those of a killed process (docs/design/jobs.md#serving-processes).
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

TABLES = """
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, n INTEGER, ends REAL);
CREATE TABLE IF NOT EXISTS places (process INTEGER, kind TEXT, id TEXT, n INTEGER, PRIMARY KEY (kind, id, process));
CREATE TABLE IF NOT EXISTS spent (id TEXT PRIMARY KEY, tokens INTEGER, cost REAL);
CREATE TABLE IF NOT EXISTS set_aside (process INTEGER, id TEXT, tokens INTEGER, cost REAL);
CREATE TABLE IF NOT EXISTS texts (name TEXT PRIMARY KEY, text TEXT, used REAL);
"""
BUSY_S = 5.0
SWEPT_EVERY_S = 60.0


class Full(Enum):
    """Exhausted limit."""

    ONE = "one"
    ALL = "all"


SMALL_SLOTS = 8
"""Slots below which a holder may take reserved ones."""


class Slots(Protocol):
    """Slots that are held while something is done."""

    def take(self, kind: str, id: str, *, most: int = 0, most_of_all: int = 0, reserved: int = 0) -> Full | None:
        """Take a slot for an id unless its limit or the common one is reached; 0 means unlimited.

        ``reserved`` slots of all are for ids that hold fewer than :data:`SMALL_SLOTS`.
        """

    def give_back(self, kind: str, id: str) -> None:
        """Release a slot."""


def exhausted(mine: float, all_: float, *, most: int, most_of_all: int, reserved: int) -> Full | None:
    """Return the limit that refuses a further slot of somebody who holds ``mine`` of ``all_``."""
    if most and mine >= most:
        return Full.ONE
    if most_of_all and all_ >= most_of_all - (reserved if mine >= SMALL_SLOTS else 0):
        return Full.ALL
    return None


class OwnSlots:
    """Slots of one process."""

    def __init__(self) -> None:
        self._taken: Counter[tuple[str, str]] = Counter()
        self._n_taken: Counter[str] = Counter()

    def take(self, kind: str, id: str, *, most: int = 0, most_of_all: int = 0, reserved: int = 0) -> Full | None:
        """Take a slot; see :class:`Slots`."""
        mine, all_ = self._taken[kind, id], self._n_taken[kind]
        full = exhausted(mine, all_, most=most, most_of_all=most_of_all, reserved=reserved)
        if full is None:
            self._taken[kind, id] += 1
            self._n_taken[kind] += 1
        return full

    def give_back(self, kind: str, id: str) -> None:
        """Release a slot."""
        self._n_taken[kind] -= 1
        self._taken[kind, id] -= 1
        if not self._taken[kind, id]:
            del self._taken[kind, id]


class Shared:
    """The counts of a server's processes, as process number ``process`` uses them."""

    def __init__(self, file: Path, process: int) -> None:
        """Open the file, and make it where it is not there."""
        self._process = process
        self._swept_at = time.time()
        self._connection = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")  # nothing here outlives the server
        self._connection.executescript(TABLES)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, name: str, n: int, *, seconds: float) -> int:
        """Increment a counter that resets every ``seconds``; return its value."""
        now = time.time()
        self._sweep(now)
        (total,) = self._one(
            "INSERT INTO counts VALUES (:name, :n, :ends) ON CONFLICT (name) DO UPDATE SET "
            "n = :n + iif(ends > :now, n, 0), ends = iif(ends > :now, ends, :ends) RETURNING n",
            {"name": name, "n": n, "ends": now + seconds, "now": now},
        )
        return int(total)

    def count(self, name: str) -> tuple[int, float]:
        """Return a counter's value, and the time of its reset in seconds since 1970."""
        now = time.time()
        n, ends = self._one("SELECT n, ends FROM counts WHERE name = ? AND ends > ?", (name, now)) or (0, now)
        return int(n), float(ends)

    def take(self, kind: str, id: str, *, most: int = 0, most_of_all: int = 0, reserved: int = 0) -> Full | None:
        """Take a slot; see :class:`Slots`."""
        with self._transaction():
            mine, all_ = self._one(
                "SELECT total(n) FILTER (WHERE id = ?), total(n) FROM places WHERE kind = ?", (id, kind)
            )
            full = exhausted(mine, all_, most=most, most_of_all=most_of_all, reserved=reserved)
            if full is not None:
                return full
            self._connection.execute(
                "INSERT INTO places VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1", (self._process, kind, id)
            )
        return None

    def give_back(self, kind: str, id: str) -> None:
        """Give a place back."""
        whose = (self._process, kind, id)
        with self._transaction():
            self._connection.execute("UPDATE places SET n = n - 1 WHERE process = ? AND kind = ? AND id = ?", whose)
            self._connection.execute("DELETE FROM places WHERE n <= 0")

    def free(self, process: int) -> None:
        """Release all slots of a dead process."""
        with self._transaction():
            self._connection.execute("DELETE FROM places WHERE process = ?", (process,))
            self._connection.execute("DELETE FROM set_aside WHERE process = ?", (process,))

    def spent(self, id: str, *, tokens: int = 0, cost: float = 0.0) -> tuple[int, float]:
        """Return the tokens and the cost that are known to be spent under an id: at least what is given."""
        found = self._one(
            "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "tokens = max(tokens, excluded.tokens), cost = max(cost, excluded.cost) RETURNING tokens, cost",
            (id, tokens, cost),
        )
        return int(found[0]), float(found[1])

    def set_aside(self, id: str, tokens: int, cost: float, *, most_tokens: int, most_cost: float) -> str | None:
        """Set tokens and cost aside of what may be spent under an id; return what does not suffice. 0 is no limit."""
        with self._transaction():
            told = self._one(
                "SELECT total(tokens), total(cost) FROM (SELECT tokens, cost FROM spent WHERE id = :id UNION ALL "
                "SELECT tokens, cost FROM set_aside WHERE id = :id)",
                {"id": id},
            )
            if most_cost and told[1] + cost > most_cost:
                return f"{most_cost:g} (cost)"
            if most_tokens and told[0] + tokens > most_tokens:
                return f"{most_tokens} tokens"
            self._connection.execute("INSERT INTO set_aside VALUES (?, ?, ?, ?)", (self._process, id, tokens, cost))
        return None

    def settle(self, id: str, set_aside: tuple[int, float], spent: tuple[int, float]) -> None:
        """Count what was spent in place of what was set aside for it."""
        with self._transaction():
            self._connection.execute(
                "DELETE FROM set_aside WHERE rowid IN (SELECT rowid FROM set_aside WHERE process = ? AND id = ? "
                "AND tokens = ? AND cost = ? LIMIT 1)",
                (self._process, id, *set_aside),
            )
            self._connection.execute(
                "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                "tokens = tokens + excluded.tokens, cost = cost + excluded.cost",
                (id, *spent),
            )

    def text(self, name: str) -> str | None:
        """Return a text that a process has kept under a name."""
        found = self._one("UPDATE texts SET used = ? WHERE name = ? RETURNING text", (time.time(), name))
        return found and str(found[0])

    def keep_text(self, name: str, text: str, *, most: int) -> None:
        """Keep a text, if need be in place of the one that was not used for longest."""
        with self._transaction():
            self._connection.execute("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", (name, text, time.time()))
            self._connection.execute(
                "DELETE FROM texts WHERE name IN (SELECT name FROM texts ORDER BY used DESC LIMIT -1 OFFSET ?)", (most,)
            )

    def _one(self, statement: str, values: Any) -> Any:
        rows = self._connection.execute(statement, values).fetchall()  # to the end, or the statement stays open
        return rows[0] if rows else None

    def _sweep(self, now: float) -> None:
        if now - self._swept_at >= SWEPT_EVERY_S:
            self._swept_at = now
            self._connection.execute("DELETE FROM counts WHERE ends <= ?", (now,))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
