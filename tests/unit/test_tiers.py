"""The fast tier leaves out slow tests, and files go to the processes in an order."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support import tiers

pytest_plugins = ["pytester"]
TIERS = Path(tiers.__file__).read_text(encoding="utf-8")
TESTS = """
import pytest
@pytest.mark.slow
def test_slow(): pass
def test_fast(): pass
@pytest.mark.by_hand
def test_by_hand(): pass
"""


def item(file: str, *fixtures: str, marks: tuple[str, ...] = ()) -> Any:
    marker = dict.fromkeys(marks, pytest.mark.slow.mark)
    return SimpleNamespace(path=Path(file), fixturenames=fixtures, get_closest_marker=marker.get, stash=pytest.Stash())


def test_files_of_the_library_come_first_then_those_with_many_or_slow_tests():
    few, many, slow = item("few"), item("many"), item("slow", marks=("slow",))
    library, deletes = item("library", "library"), item("deletes", "library", "neo4j_driver")
    items = [few, many, many, slow, deletes, library]

    tiers.in_order(items)

    assert [one.path.name for one in items] == ["library", "deletes", "slow", "many", "many", "few"]


def test_the_doctor_examines_the_first_graph_of_a_module_and_those_of_slow_tests():
    items = [
        item("a", "database"),
        item("a", "database"),
        item("a", "database", marks=("slow",)),
        item("b", "database", marks=("writes_by_hand",)),
        item("b", "database"),
    ]

    tiers.choose_examined(items)

    assert [one.stash[tiers.EXAMINED] for one in items] == [True, False, True, False, True]


@pytest.mark.parametrize(("options", "n"), [((), 1), (("--all",), 2), (("-m", ""), 3)])
def test_slow_tests_run_with_all(pytester: pytest.Pytester, options: tuple[str, ...], n: int):
    pytester.makepyfile(test_some=TESTS, tier_options=TIERS)
    pytester.syspathinsert()
    pytester.makeini("[pytest]\naddopts = -m 'not slow and not by_hand'\nmarkers =\n slow: s\n by_hand: b\n")

    result = pytester.runpytest_inprocess("-p", "tier_options", *options)

    result.assert_outcomes(passed=n, deselected=3 - n)
