"""What commands import: seconds pass before the first line of one that imports what it does not use."""

import subprocess
import sys

import pytest

FACES = (
    "papergraph.server.graphql",
    "papergraph.server.rest",
    "papergraph.server.openai",
    "papergraph.server.mcp",
    "strawberry",
    "mcp",
)
MODELS = ("torch", "sentence_transformers", "transformers", "onnxruntime", "spacy", "sklearn")
NUMBERS = ("numba", "scipy", "pandas", "pyarrow")


def imported_by(*modules: str) -> dict[str, set[str]]:
    """Return the names of all modules that are there after each of some is imported, in a new process."""
    code = f"import sys, importlib\nfor one in {modules!r}: importlib.import_module(one); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return dict(zip(modules, map(set, map(str.split, told.stdout.splitlines())), strict=True))


@pytest.mark.parametrize(
    "unused",
    [
        {
            "papergraph.cli.main": (*FACES, *MODELS, *NUMBERS, "neo4j", "numpy", "fastapi", "httpx", "pydantic"),
            "papergraph.cli.client": (*FACES, *MODELS, *NUMBERS, "neo4j", "numpy", "fastapi"),
            "papergraph.cli.mcp_bridge": (*FACES, *MODELS, *NUMBERS, "neo4j", "numpy", "fastapi"),
            "papergraph.store": (*FACES, *MODELS, *NUMBERS, "fastapi"),
            "papergraph.server.local.store_operations": (*FACES, *MODELS, *NUMBERS, "fastapi", "uvicorn"),
        },
        {
            "papergraph.server.operations.search": (
                *FACES,
                "torch",
                "spacy",
                "papergraph.ingest.parsers",
                "papergraph.ingest.sources",
                "lxml",
                "pypdfium2",
            )
        },
        {"papergraph.server.local.library": (*FACES, *MODELS, "fastapi", "uvicorn")},
        pytest.param(
            {
                "papergraph.cli.in_process": (
                    "papergraph.server.graphql",
                    "strawberry",
                    "papergraph.server.openai",
                    "papergraph.server.mcp",
                    "mcp",
                    *MODELS,
                    *NUMBERS,
                )
            },
            marks=pytest.mark.slow,
        ),
        pytest.param({"papergraph.cli.serve_running": MODELS}, marks=pytest.mark.slow),
    ],
    ids=["commands", "search", "library", "answers without a server", "server"],
)
def test_what_is_heavy_is_imported_by_those_that_use_it(unused: dict[str, tuple[str, ...]]):
    found = imported_by(*unused)

    assert found.keys() == unused.keys()
    assert {module: found[module].intersection(unused[module]) for module in unused} == {
        module: set() for module in unused
    }


@pytest.mark.slow
def test_the_driver_is_imported_without_pandas_and_leaves_it_to_others():
    code = """
import papergraph.neo4j_import, sys
import neo4j
assert "pandas" not in sys.modules
import pandas
print(pandas.DataFrame({"n": [1]}).shape)
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)

    assert answer.stdout.strip() == "(1, 1)"
