"""Modules and functions stay small: limits without exceptions."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("papergraph", "cypher", "schema", "ingest", "server", "evaluation", "cli")
MOST_LINES = 800
MOST_LINES_OF_FUNCTION = 60
MOST_PARAMETERS = 7
NUMERIC = ("server/selection/bound_kernels.py", "server/selection/search_kernels.py")
"""Compiled loops: numba takes arrays one by one, and a call would cost more than what it does."""


def product_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *FOLDERS], capture_output=True, text=True, check=True).stdout
    return [Path(line) for line in listed.splitlines() if line.endswith(".py") and Path(line).exists()]


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield each function of the product outside the compiled loops, named by file and name."""
    for path in product_files():
        if str(path) not in NUMERIC:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path}:{node.name}", node


def n_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    own = bool(named) and named[0].arg in ("self", "cls")
    return len(named) - own + (given.vararg is not None) + (given.kwarg is not None)


def is_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Say whether it is a command of Typer, whose parameters are its options."""
    return any(".command" in ast.unparse(decorator) for decorator in function.decorator_list)


def test_no_module_is_longer_than_a_reader_can_keep_in_mind():
    long = {str(path) for path in product_files() if path.read_text(encoding="utf-8").count("\n") > MOST_LINES}

    assert long == set()


def test_no_function_is_longer_than_a_screen():
    long = {name for name, one in functions() if (one.end_lineno or 0) - one.lineno + 1 > MOST_LINES_OF_FUNCTION}

    assert long == set()


def test_no_function_takes_more_than_seven_parameters_but_commands():
    many = {name for name, one in functions() if n_parameters(one) > MOST_PARAMETERS and not is_command(one)}

    assert many == set()
