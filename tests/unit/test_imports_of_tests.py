"""Helpers are in ``tests/support``: a test module can be moved, split or deleted without a look at the others."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def imports_of_tests(source: str) -> list[str]:
    """Return the test modules and files of fixtures that a source imports from."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found += [
            name
            for name in names
            if name.startswith("tests.") and name.rpartition(".")[2].startswith(("test_", "conftest"))
        ]
    return found


def test_no_test_module_is_imported():
    files = sorted(TESTS.rglob("*.py"))

    found = {str(file): imports for file in files if (imports := imports_of_tests(file.read_text(encoding="utf-8")))}

    assert len(files) > 150
    assert found == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from tests.unit.test_chunk import TEXTS", ["tests.unit.test_chunk"]),
        ("from tests.unit import test_chunk", ["tests.unit.test_chunk"]),
        ("def f():\n    import tests.e2e.conftest", ["tests.e2e.conftest"]),
        ("from tests.pytest_neo4j import wipe\nfrom tests.support.files import write\nimport ast", []),
    ],
)
def test_such_an_import_is_found(source, found):
    assert imports_of_tests(source) == found
