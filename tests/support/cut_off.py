"""Calls to a store that end in the middle of what they are part of."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from papergraph.database import Database


class CutOff:
    """Lets the calls of a database that write fail, once: ``n_left`` calls from now, never at 0."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n_left = 0
        for name in ("run_alone", "transact"):
            monkeypatch.setattr(database, name, self._counted(getattr(database, name)))

    def _counted(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def counted(*given: Any, **parameters: Any) -> Any:
            self.n_left -= 1
            if self.n_left == 0:
                raise EOFError
            return await call(*given, **parameters)

        return counted
