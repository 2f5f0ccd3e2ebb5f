"""Waiting for indexes: for as long as they grow, and no longer."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

from papergraph.database import Database
from papergraph.errors import SchemaError
from papergraph.schema import indexes
from papergraph.schema.indexes import wait_until_built


class Building:
    """Answers each question for the indexes of a store with the next of its states; the last one stays."""

    def __init__(self, states: Iterable[list[dict[str, Any]]]) -> None:
        self.states = list(states)
        self.asked = 0

    async def read(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        self.asked += 1
        return self.states[min(self.asked, len(self.states)) - 1]


def index(state: str, percent: float = 100.0, *, name: str = "chunk_text", failure: str = "") -> dict[str, Any]:
    return {"name": name, "state": state, "percent": percent, "failure": failure}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexes, "MOST_POLL_S", 0.001)
    monkeypatch.setattr(indexes, "POLL_S", 0.001)


async def wait(*states: list[dict[str, Any]]) -> int:
    store = Building(states)
    await wait_until_built(cast("Database", store))
    return store.asked


async def test_it_waits_while_an_index_grows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexes, "STALLED_S", 0.2)
    growing = [[index("POPULATING", percent)] for percent in range(300)]

    assert await wait(*growing, [index("ONLINE")]) == 301  # longer than an index may stay as it is


async def test_an_index_that_does_not_grow_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexes, "STALLED_S", 0.02)

    with pytest.raises(SchemaError, match="chunk_text stays at 40 %"):
        await wait([index("POPULATING", 40.0)])


async def test_an_index_that_cannot_be_built_is_named_with_the_reason():
    with pytest.raises(SchemaError, match="chunk_text is FAILED: no space"):
        await wait([index("POPULATING", 1.0)], [index("FAILED", failure="no space")])


async def test_indexes_of_other_programs_do_not_count():
    assert await wait([index("FAILED", name="mine"), index("POPULATING", 3.0, name="yours"), index("ONLINE")]) == 1
