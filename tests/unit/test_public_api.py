"""The public names of papergraph: they resolve, their types and their docs agree, and importing them costs little."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import papergraph

PACKAGE = Path("papergraph/__init__.py")
STUB = PACKAGE.with_suffix(".pyi")
MOST_MODULES = 10
"""``importlib`` and what it brings; a module of ours or of a dependency brings dozens."""


def stub() -> ast.Module:
    return ast.parse(STUB.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", papergraph.__all__)
def test_every_public_name_is_there(name: str):
    assert getattr(papergraph, name) is not None
    assert name in dir(papergraph)


def test_another_name_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="no attribute 'Librarian'"):
        _ = papergraph.Librarian  # type: ignore[attr-defined]


def test_the_types_have_the_same_names_from_the_same_places():
    imported = {
        alias.asname: (node.module, alias.name)
        for node in stub().body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    (listed,) = [ast.literal_eval(node.value) for node in stub().body if isinstance(node, ast.Assign)]

    assert listed == papergraph.__all__
    assert {*imported, "__version__"} == set(papergraph.__all__)
    for name, (module, of) in imported.items():
        found = importlib.import_module("papergraph.errors") if name == "errors" else None
        assert getattr(papergraph, str(name)) is (found or getattr(importlib.import_module(module), of))


def test_the_docs_name_all_of_them():
    page = Path("docs/clients.md").read_text(encoding="utf-8")
    section = page.split("Public names of `papergraph`: ")[1].split(". Other")[0]

    assert set(re.findall(r"`(\w+)`", section)) == set(papergraph.__all__)


def test_importing_papergraph_imports_next_to_nothing():
    code = "import sys; before = set(sys.modules); import papergraph; print(*set(sys.modules) - before)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    imported = set(answer.stdout.split())

    assert "papergraph" in imported
    assert len(imported) <= MOST_MODULES, sorted(imported)


def test_select_takes_arrays_and_certifies_what_it_gives():
    relevance, similarity = [0.90, 0.89, 0.60], [[1, 0.98, 0.1], [0.98, 1, 0.1], [0.1, 0.1, 1]]

    nearest = papergraph.select(relevance, similarity, k=2, alpha=1.0)
    diverse = papergraph.select(relevance, similarity, k=2, alpha=0.5)

    assert set(nearest.ids) == {0, 1} and nearest.proven
    assert set(diverse.ids) == {0, 2} and diverse.proven
    with pytest.raises(papergraph.errors.InputError):
        papergraph.select(relevance, similarity, k=4)


@pytest.mark.parametrize("method", ["ingest", "search", "ask", "papers", "cypher", "doctor", "open", "close"])
def test_both_libraries_have_the_same_methods(method: str):
    waits, awaits = getattr(papergraph.Library, method), getattr(papergraph.AsyncLibrary, method)

    assert waits.__annotations__ == awaits.__annotations__
