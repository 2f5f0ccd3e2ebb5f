"""Parts of the five systems turned off one after the other: ``python -m scripts.mutations`` shows that a test fails.

Each part of docs/systems.md has a change that turns it off. The change is made in a copy of the working tree, where the
test that the page names for the part has to fail. Words of parts, such as ``chunks of``, choose some; ``--list`` prints
the rows of the page that no change is for.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "systems.md"
CHANGES = Path(__file__).with_name("mutations.txt")
LINKED = (".venv", ".tools")
LONGEST_S = 600.0
"""Longest time of a test; one that takes longer has failed."""


@dataclass(frozen=True)
class Change:
    """Change of a file that turns a part off, and the test that has to fail then."""

    test: str
    file: str
    before: str
    after: str


def rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each part of the page with the tests that it names."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        part, _, tests = line.strip("| ").rpartition(" | ")
        if named := re.findall(r"`((?:unit|integration|e2e)/[^`]+)`", tests):
            yield part, tuple(named)


def changes() -> list[Change]:
    """Return the changes of the file: a line with the test, one with the file, then ``-`` and ``+`` lines."""
    found = []
    for block in re.split(r"\n(?=\S+::)", CHANGES.read_text(encoding="utf-8").strip()):
        test, file, *lines = block.splitlines()
        before = "\n".join(line[1:] for line in lines if line.startswith("-"))
        found.append(Change(test, file, before, "\n".join(line[1:] for line in lines if line.startswith("+"))))
    return found


def fails(folder: Path, change: Change) -> bool:
    """Return whether the test fails while a part is turned off.

    Raises:
        LookupError: The file lacks the part.
    """
    path = folder / change.file
    text = path.read_text(encoding="utf-8")
    if change.before not in text:
        raise LookupError(f"{change.file} lacks {change.before!r}")
    module, *names = change.test.split("::")
    tests = [sys.executable, "-m", "pytest", "-q", "-x", "--all", "-p", "no:cacheprovider", f"tests/{module}", "-k"]
    try:
        path.write_text(text.replace(change.before, change.after, 1), encoding="utf-8")
        done = subprocess.run(
            [*tests, names[-1]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},  # also of commands that the test starts
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(text, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{change.test} did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 1


def copied(folder: Path) -> Path:
    """Copy the files that git knows into a folder, with links to the environment."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    for name in listed.stdout.decode().splitlines():
        source, target = ROOT / name, folder / name
        if source.exists() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    return folder


def main(wanted: Iterable[str]) -> int:
    """Print a line for each change; return how many tests did not fail."""
    words, known = [word for word in wanted if word != "--list"], changes()
    parts = dict(rows())
    if "--list" in sys.argv:
        tested = {change.test for change in known}
        print(*(part for part, tests in parts.items() if not tested & set(tests)), sep="\n")
        return 0
    n_passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name))
        for change in known:
            part = next((part for part, tests in parts.items() if change.test in tests), "?")
            if words and not any(word in f"{part} {change.test}" for word in words):
                continue
            found = fails(folder, change)
            n_passed += not found
            print(f"| {'fails' if found else 'PASSES'} | {part} | `{change.test}` | {change.file} |", flush=True)
    return n_passed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
