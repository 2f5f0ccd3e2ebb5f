"""What commands import: seconds pass before the first line of one that imports what it does not use."""

import subprocess
import sys

import pytest

FACES = ("server.graphql", "server.rest", "server.openai", "server.mcp", "strawberry", "mcp")
MODELS = ("torch", "sentence_transformers", "transformers")


def imported_by(module: str) -> set[str]:
    """Return the names of all modules that are there once one is imported in a new process."""
    code = f"import sys, {module}; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return set(told.stdout.split())


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("server.cli", (*FACES, *MODELS, "neo4j", "pandas", "fastapi")),
        ("server.working", (*FACES, *MODELS)),
        ("server.executing", ("server.rest", "server.openai", "server.mcp", "mcp", *MODELS)),
        ("server.running", MODELS),
    ],
)
def test_what_is_heavy_is_imported_by_those_that_use_it(module: str, unused: tuple[str, ...]):
    found = imported_by(module)

    assert module in found
    assert not found.intersection(unused)
