"""Counters of requests: in this process, or in a file that the processes of a server share."""

import sqlite3
from collections import Counter
from typing import Protocol

from limits.aio.storage import Storage

from server.shared_counters import Full, Shared


class Places(Protocol):
    """Places that are held for as long as something is done."""

    def take(self, id: str, *, most: int, most_of_all: int) -> Full | None:
        """Take a place for somebody, unless they or all have as many as they may; 0 stands for no limit."""

    def give_back(self, id: str) -> None:
        """Give a place back."""


class OwnPlaces:
    """Places of one process."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._n_taken = 0

    def take(self, id: str, *, most: int, most_of_all: int) -> Full | None:
        """Take a place for somebody, unless they or all have as many as they may; 0 stands for no limit."""
        if most and self._taken[id] >= most:
            return Full.ONE
        if most_of_all and self._n_taken >= most_of_all:
            return Full.ALL
        self._taken[id] += 1
        self._n_taken += 1
        return None

    def give_back(self, id: str) -> None:
        """Give a place back."""
        self._n_taken -= 1
        self._taken[id] -= 1
        if not self._taken[id]:
            del self._taken[id]


class SharedPlaces:
    """Places of all processes of a server."""

    def __init__(self, shared: Shared, kind: str) -> None:
        self._shared, self._kind = shared, kind

    def take(self, id: str, *, most: int, most_of_all: int) -> Full | None:
        """Take a place for somebody, unless they or all have as many as they may; 0 stands for no limit."""
        return self._shared.take(self._kind, id, most=most, most_of_all=most_of_all)

    def give_back(self, id: str) -> None:
        """Give a place back."""
        self._shared.give_back(self._kind, id)


class SharedStorage(Storage):
    """Counts of the library ``limits`` in the file that processes share."""

    STORAGE_SCHEME = None

    def __init__(self, shared: Shared) -> None:
        super().__init__()
        self._shared = shared

    @property
    def base_exceptions(self) -> type[Exception]:
        """What the file may raise."""
        return sqlite3.Error

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to a count."""
        return self._shared.add(key, amount, seconds=expiry)

    async def get(self, key: str) -> int:
        """Return a count."""
        return self._shared.count(key)[0]

    async def get_expiry(self, key: str) -> float:
        """Return when a count begins anew."""
        return self._shared.count(key)[1]

    async def check(self) -> bool:
        """Say whether the file can be read."""
        return self._shared.count("")[0] == 0

    async def reset(self) -> int | None:
        """Reset nothing: what processes share ends with the server."""
        return None

    async def clear(self, key: str) -> None:
        """Clear nothing: a count ends by itself."""
