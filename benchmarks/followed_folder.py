"""A followed folder of 5,000 files, with 200 changes of every kind while the watch runs.

Usage: python -m benchmarks.followed_folder [FILES] [CHANGES]

Files are short Markdown texts in 50 folders. A first run ingests them. Then a thread makes the changes, a third of a
second apart, while the watch runs again and again: new files, other text of the same and of another length, a save by
renaming, a touch, a move, a rename, a deletion, a deletion with a new file of the same name, a slow write in three
parts, and files that are no papers. The watch runs on until two runs find nothing. Gates: the collection has exactly
the texts on the disk, and each changed file is hashed once and read once. Writes results/followed_folder.json.
"""

import asyncio
import hashlib
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.common import empty_store, home_of_store, write_result
from papergraph.database import Database
from papergraph.ingest.sources.parser import LocalFile
from papergraph.server.local.watch_operations import add_watch, run_watch
from papergraph.server.operations.watches import Watch, find_watch
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address

SEED, FOLDERS, GAP_S, MOST_RUNS = 7, 50, 0.3, 30
KINDS = (
    *("new", "same length", "longer", "saved by rename", "touched", "moved", "renamed", "deleted"),
    *("deleted and new", "written slowly", "no paper"),
)
SOURCES = Statement("sources", "CYPHER 25 MATCH (one:Source) RETURN one.name AS name, one.contentHash AS hash")


def text_of(number: int, words: int = 30) -> str:
    """Return a short text that is like no other."""
    draw = random.Random(number)  # noqa: S311
    return f"# Notes number {number}\n\n{' '.join(f'w{draw.randrange(10**6)}' for _ in range(words))} rise.\n"


class Changes(threading.Thread):
    """Makes changes below a folder, one after the other; ``made`` counts them by kind."""

    def __init__(self, folder: Path, n_files: int, n_changes: int) -> None:
        super().__init__()
        self.folder, self.n_changes, self.made = folder, n_changes, Counter[str]()
        self._draw, self._next = random.Random(SEED), n_files  # noqa: S311
        self._free = sorted(folder.rglob("*.md"))
        self._draw.shuffle(self._free)

    def run(self) -> None:
        for number in range(self.n_changes):
            kind = KINDS[number % len(KINDS)]
            self._change(kind, self._free.pop())
            self.made[kind] += 1
            time.sleep(GAP_S)

    def _text(self, words: int = 30) -> str:
        self._next += 1
        return text_of(self._next, words)

    def _change(self, kind: str, path: Path) -> None:
        match kind:
            case "new":
                (path.parent / f"new{self._next}.md").write_text(self._text())
            case "same length":
                before = path.read_bytes()
                path.write_bytes(before[:-7][::-1][:3] + before[3:])
            case "longer":
                path.write_text(self._text(60))
            case "saved by rename":
                beside = path.with_suffix(".tmp~")
                beside.write_text(self._text())
                beside.replace(path)
            case "touched":
                os.utime(path)
            case "moved":
                path.rename(self.folder / f"moved{path.stem}.md")
            case "renamed":
                path.rename(path.with_name(f"renamed{path.stem}.md"))
            case "deleted":
                path.unlink()
            case "deleted and new":
                path.unlink()
                time.sleep(GAP_S)
                path.write_text(self._text())
            case "written slowly":
                whole = self._text(90)
                for end in (len(whole) // 3, 2 * len(whole) // 3, len(whole)):
                    path.write_text(whole[:end])
                    time.sleep(GAP_S)
            case _:
                path.with_suffix(".xyz").write_text("no paper")


class Reads:
    """Counts how often each file is hashed and read, by its path, while ``is_on``."""

    def __init__(self) -> None:
        self.hashed, self.read, self.is_on = Counter[str](), Counter[str](), False
        self._count("content_hash", self.hashed)
        self._count("read", self.read)

    def _count(self, name: str, counts: Counter[str]) -> None:
        real = getattr(LocalFile, name)

        def counted(file: LocalFile, *, max_bytes: int) -> Any:
            counts[file.name] += self.is_on
            return real(file, max_bytes=max_bytes)

        setattr(LocalFile, name, counted)


def main() -> None:
    """Make the folder, follow it, and write the figures."""
    given = [int(one) for one in sys.argv[1:]]
    n_files, n_changes = (*given, *(5000, 200)[len(given) :])
    with tempfile.TemporaryDirectory() as made, empty_store("followed_folder") as address:
        folder = Path(made).resolve()
        for number in range(n_files):
            place = folder / f"folder{number % FOLDERS}"
            place.mkdir(exist_ok=True)
            (place / f"file{number}.md").write_text(text_of(number))
        settings = Settings().replace(home=home_of_store("followed_folder"), neo4j={"uri": None})
        write_result("followed_folder", asyncio.run(followed(settings, address, folder, n_files, n_changes)))


async def followed(settings: Settings, address: Address, folder: Path, n_files: int, n_changes: int) -> dict[str, Any]:
    """Follow the folder while it changes, and return the figures."""
    reads = Reads()
    async with await address.connect() as database:
        id = await add_watch(database, "folder", str(folder), every_s=60, collection="main")
        begun = time.perf_counter()
        words = [await once(settings, address, database, id)]
        first_s = time.perf_counter() - begun
        before = hashes(folder)
        changes = Changes(folder, n_files, n_changes)
        reads.is_on, quiet, begun = True, 0, time.perf_counter()
        changes.start()
        while quiet < 2 and len(words) < MOST_RUNS:
            is_over = not changes.is_alive()
            words.append(await once(settings, address, database, id))
            quiet = quiet + 1 if is_over and words[-1].startswith("0 new or changed files") else 0
        changes.join()
        seconds = time.perf_counter() - begun
        reads.is_on = False
        after = hashes(folder)
        stored = {row["name"]: row["hash"] for row in await database.read(SOURCES)}
    changed = [path for path, hash in after.items() if before.get(path) != hash]
    return {
        "files": n_files,
        "changes": dict(changes.made),
        "runs": words,
        "firstRunS": round(first_s, 1),
        "laterRunsS": round(seconds, 1),
        "exactState": stored == after,
        "wrong": len({*stored.items()} ^ {*after.items()}),
        "changedFiles": len(changed),
        "readsOfChangedFiles": dict(Counter(reads.read[path] for path in changed)),
        "hashesOfChangedFiles": dict(Counter(reads.hashed[path] for path in changed)),
        "readThoughUnchanged": sum(n > 0 for path, n in reads.read.items() if path in before and path not in changed),
    }


async def once(settings: Settings, address: Address, database: Database, id: str) -> str:
    """Run the watch and return its words."""
    watch: Watch = await find_watch(database, id)
    result = await run_watch(settings, address, database, watch)
    print(result.words if result else "held", flush=True)
    return result.words if result else "held"


def hashes(folder: Path) -> dict[str, str]:
    """Return the hashes of the texts of a folder by path."""
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*.md"))}


if __name__ == "__main__":
    main()
