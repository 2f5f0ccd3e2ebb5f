"""Empty Python environments, and what is installed into them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNREACHABLE = re.compile("dns error|Failed to fetch|Could not transfer|Unknown host")
OURS = ("PYTHONPATH", "VIRTUAL_ENV")


def installer() -> str:
    """Return the path of uv; skip without it."""
    uv = shutil.which("uv") or shutil.which("uv", path=".tools")
    if uv is None:
        pytest.skip("there is no uv here")
    return str(Path(uv).absolute())


def told_by(*command: str | Path, folder: Path, **variables: str) -> str:
    """Return what a program writes that may need a registry; skip if the registry cannot be reached."""
    environment = {name: value for name, value in os.environ.items() if name not in OURS} | variables
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    told = done.stdout + done.stderr
    if done.returncode != 0 and UNREACHABLE.search(told):
        pytest.skip(f"the registry cannot be reached: {told[-300:]}")
    assert done.returncode == 0, told
    return told


def environment(folder: Path, *packages: str | Path) -> Path:
    """Return the Python of a new environment below a folder that has these arguments of ``uv pip install``."""
    uv, python = installer(), folder / "environment/bin/python"
    told_by(uv, "venv", "--quiet", "--python", sys.executable, folder / "environment", folder=folder)
    told_by(uv, "pip", "install", "--quiet", "--python", python, *packages, folder=folder)
    return python


def client_wheel(folder: Path) -> Path:
    """Return the wheel of the Python client, built into a folder."""
    told_by(
        installer(), "build", "--quiet", "--wheel", "--out-dir", folder, Path("sdk/python").absolute(), folder=folder
    )
    (wheel,) = folder.glob("*.whl")
    return wheel
