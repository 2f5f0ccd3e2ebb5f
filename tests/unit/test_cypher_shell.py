"""The prompt for Cypher, with a driver that does what a test says."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from neo4j import Query
from neo4j.exceptions import Neo4jError, ServiceUnavailable
from rich.console import Console

from papergraph.cli.cypher_shell import _show
from papergraph.revisions import UNSETTLE

WRITE = "CREATE (:Note)"


class FakeDriver:
    """Plays ``steps``, one for each statement: an exception is raised, ``None`` works; without sessions of its own."""

    def __init__(self, *steps: Exception | None) -> None:
        self.steps = [*steps]
        self.ran: list[str] = []

    def session(self, **_: object) -> "FakeDriver":
        return self

    def __enter__(self) -> "FakeDriver":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, query: str | Query, *_: object) -> "FakeDriver":
        self.ran.append(str(query.text if isinstance(query, Query) else query))
        if (step := self.steps.pop(0)) is not None:
            raise step
        return self

    def keys(self) -> list[str]:
        return []

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def peek(self) -> None:
        pass

    def consume(self) -> SimpleNamespace:
        return SimpleNamespace(counters=SimpleNamespace(contains_updates=False))


@pytest.mark.parametrize(
    ("steps", "worked", "told"),
    [
        ((None, None, None), True, ""),
        ((None, Neo4jError._hydrate_neo4j(code="Neo.X.Y.Z", message="said so")), False, "said so"),
        ((None, None, ServiceUnavailable("gone")), True, ""),
        ((ServiceUnavailable("gone"),), False, "gone"),
    ],
    ids=["done", "refused", "gone afterwards", "gone before"],
)
def test_what_may_write_runs_while_no_paper_has_a_revision_and_its_own_error_is_told(steps, worked, told, capsys):
    driver = FakeDriver(*steps)

    assert _show(driver, WRITE, database="neo4j", write=True, console=Console()) is worked
    assert driver.ran == [UNSETTLE.text, WRITE, UNSETTLE.text][: len(steps)]
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(("text", "write"), [("MATCH (n) RETURN n", True), (WRITE, False)])
def test_what_only_reads_runs_by_itself(text: str, write: bool):
    driver = FakeDriver(None)

    assert _show(driver, text, database="neo4j", write=write, console=Console())
    assert driver.ran == [text]
