"""Programs for Node.js that tests run: packages of npm, installed as their lock file says."""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNREACHABLE = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH")


def node_project(source: Path, folder: Path) -> Path:
    """Return a copy of ``source`` below ``folder`` with its packages installed; skip without Node.js or a registry."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no node or no npm here")
    copy = folder / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("node_modules"))
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 and UNREACHABLE.search(done.stderr):
        pytest.skip(f"the registry of npm cannot be reached: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return copy


async def run(*command: str | Path) -> str:
    """Run a command to its end and return what it writes."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode()


def built(*command: str | Path, folder: Path) -> None:
    """Run a tool in the folder of a project, which says nothing of warnings."""
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert "warn" not in told.lower(), told
