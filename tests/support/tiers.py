"""The two tiers of tests, as a pytest plugin: without ``--all`` the fast one, with it the slow tests too.

Both always run the same tests. The doctor examines the graph of each slow test, and of the first one of each module.
"""

from collections import defaultdict
from pathlib import Path

import pytest

HELPERS = [path.stem for path in Path(__file__).parent.glob("*.py") if path != Path(__file__)]
pytest.register_assert_rewrite(*(f"tests.support.{name}" for name in HELPERS))

EXAMINED = pytest.StashKey[bool]()
"""Whether the doctor examines the graph that a test leaves."""
DELETING = ("database", "neo4j_driver")
"""Fixtures that delete all papers before a test."""
AS_LONG_AS = 30
"""How many other tests a slow one is taken to last, when files are ordered."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run slow tests too")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.all and config.option.markexpr == "not slow and not by_hand":
        config.option.markexpr = "not by_hand"


@pytest.hookimpl(trylast=True)  # after -m and -k have deselected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    choose_examined(items)
    in_order(items)


def choose_examined(items: list[pytest.Item]) -> None:
    """Note for each test whether the doctor examines its graph: slow ones, and the first of each module."""
    seen: set[Path] = set()
    for item in items:
        healthy = "database" in fixtures_of(item) and item.get_closest_marker("writes_by_hand") is None
        item.stash[EXAMINED] = healthy and (item.get_closest_marker("slow") is not None or item.path not in seen)
        if healthy:
            seen.add(item.path)


def in_order(items: list[pytest.Item]) -> None:
    """Sort files: long ones, those of the library, which is written once, those that also delete it, then the others.

    Files with many or slow tests come first in each group, so that two processes end at about the same time.
    """
    fixtures: dict[Path, set[str]] = defaultdict(set)
    weights: dict[Path, int] = defaultdict(int)
    for item in items:
        fixtures[item.path].update(fixtures_of(item))
        weights[item.path] += AS_LONG_AS if item.get_closest_marker("slow") else 1

    def rank(item: pytest.Item) -> tuple[int, int, Path]:
        used = fixtures[item.path]
        if is_long(item.path):
            return -1, 0, item.path
        return (2 if "library" not in used else int(not used.isdisjoint(DELETING))), -weights[item.path], item.path

    items.sort(key=rank)


def is_long(path: Path) -> bool:
    """Return whether a file starts servers of its own and kills them, a minute each."""
    return path.parent.name == "faults" or path.name == "test_run.py"


def fixtures_of(item: pytest.Item) -> tuple[str, ...]:
    return tuple(getattr(item, "fixturenames", ()))
