"""Clients built from their sources, as tests use them."""

import subprocess
from pathlib import Path

from tests.support.node import node_project


def typescript_client(folder: Path) -> Path:
    """Return a copy of the TypeScript client that is built; skip without Node.js or a registry."""
    project = node_project(Path("sdk/typescript"), folder)
    done = subprocess.run(["npm", "run", "--silent", "build"], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def installed_tarball(project: Path, folder: Path) -> Path:
    """Return a folder in which only the tarball of the TypeScript client is installed."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", str(folder)], cwd=project, capture_output=True, text=True
    )
    assert packed.returncode == 0, packed.stderr
    (tarball,) = folder.glob("*.tgz")
    (folder / "package.json").write_text('{"type": "module"}')
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", str(tarball)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder
