"""The wheel of the Python client installs into an empty environment, and works there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fault_server import fault_server

PROGRAM = """
import sys, papergraph_client
from papergraph_client import Papergraph, RateLimitedError
with Papergraph(sys.argv[1]) as pg:
    try:
        pg.search("x")
    except RateLimitedError as error:
        print(papergraph_client.__version__, papergraph_client.__file__, error.retry_after)
print(sorted(name for name in sys.modules if name in ("pandas", "pyarrow", "pydantic", "numpy")))
"""


@pytest.mark.slow
def test_the_wheel_installs_into_an_empty_environment_and_works_there(tmp_path: Path):
    uv = shutil.which("uv") or shutil.which("uv", path=".tools")
    if uv is None:
        pytest.skip("there is no uv here")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    python = tmp_path / "empty/bin/python"
    for command in (
        [uv, "build", "--quiet", "--wheel", "--out-dir", tmp_path, Path("sdk/python").absolute()],
        [uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "empty"],
        [uv, "pip", "install", "--quiet", "--python", python, tmp_path / "papergraph_client-0.1.0-py3-none-any.whl"],
    ):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        if done.returncode and ("dns error" in done.stderr or "Failed to fetch" in done.stderr):
            pytest.skip(f"the package index cannot be reached: {done.stderr[-300:]}")
        assert done.returncode == 0, done.stderr

    with fault_server() as url:
        command = [python, "-c", PROGRAM, f"{url}/busy-for-long"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    told, modules = done.stdout.splitlines()
    assert told.startswith("0.1.0 ")
    assert str(tmp_path / "empty") in told
    assert told.endswith(" 3600.0")
    assert modules == "[]"
