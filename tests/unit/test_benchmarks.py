"""The benchmarks are run by hand; that they still fit what they measure is seen here."""

from importlib import import_module
from pathlib import Path

import pytest

NAMES = sorted(path.stem for path in Path("benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported(name):
    assert import_module(f"benchmarks.{name}").__doc__
