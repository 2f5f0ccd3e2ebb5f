"""The page of the five systems names tests that exist, and every pipeline of the systems."""

import ast
import re
from pathlib import Path

import pytest

from papergraph.server.retrieval.pipelines import shipped

PAGE = Path("docs/systems.md")
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| (?!part \|)", line)]
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", "\n".join(ROWS))))
OWN = {"default", "fast", "diverse", "vector", "fulltext", "fused", "multi-hop", "broad"}
"""Pipelines that belong to none of the systems."""


def functions_of(path: Path) -> set[str]:
    """Return the names of the test functions of a file, those of classes included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in found if node.name.startswith("test_")}


def test_each_row_names_a_test():
    assert len(ROWS) > 50
    assert [row for row in ROWS if "::test_" not in row] == []


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_the_named_tests_exist(file: str):
    assert {name for of, name in NAMED if of == file} <= functions_of(Path("tests") / file)


def test_each_pipeline_of_the_systems_is_in_a_row():
    text = "\n".join(ROWS)
    among = {f"m{number}" for number in range(2, 7)}  # m1 to m7 share a row

    assert {name for name in shipped() if f"`{name}`" not in text} == OWN | among
