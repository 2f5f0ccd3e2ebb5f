"""Build ``web/`` into ``server/web/static`` with Node.js, or check that the committed build is that of the source.

``make web`` runs it; ``make check`` runs it with ``--check``, which says so and ends well where there is no Node.js.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, STATIC = ROOT / "web", ROOT / "server" / "web" / "static"
CHECKSUM = "source.sha256"
UNREACHABLE = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH")
IGNORED = {"node_modules", ".svelte-kit", "README.md", ".gitignore"}


def source_checksum(source: Path = SOURCE) -> str:
    """Return the sha-256 of all files that the build is made of."""
    whole = hashlib.sha256()
    for file in sorted(source.rglob("*")):
        parts = file.relative_to(source).parts
        if file.is_file() and not IGNORED & set(parts):
            whole.update(f"{'/'.join(parts)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def build(target: Path, *, install: bool) -> None:
    """Build into a folder, which is replaced."""
    environment = {**os.environ, "PAPERGRAPH_WEB_BUILD": str(target), "VITE_CONFIG_NATIVE_IGNORE_WARNING": "true"}
    commands = [["npm", "ci"]] * install + [["npm", "run", "check"], ["npm", "run", "build"]]
    for command in commands:
        done = subprocess.run(command, cwd=SOURCE, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    (target / CHECKSUM).write_text(source_checksum() + "\n")


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, at any depth."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def check() -> str:
    """Return what the check found, or an empty text where the build is that of the source."""
    if (STATIC / CHECKSUM).read_text().strip() != source_checksum():
        return "web/ has changed since server/web/static was built: run make web"
    if shutil.which("npm") is None:
        print("the build of web/ is not repeated: there is no Node.js here", file=sys.stderr)
        return ""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "static"
        try:
            build(target, install=not (SOURCE / "node_modules").exists())
        except SystemExit as failed:
            if UNREACHABLE.search(str(failed)):
                print("the build of web/ is not repeated: the registry of npm cannot be reached", file=sys.stderr)
                return ""
            raise
        here, built = contents(STATIC), contents(target)
        differ = [name for name in sorted(here.keys() | built.keys()) if here.get(name) != built.get(name)]
    return f"server/web/static is not what web/ builds: {', '.join(differ)}; run make web" if differ else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    if parser.parse_args().check:
        if found := check():
            raise SystemExit(found)
    else:
        build(STATIC, install=True)
