"""A power loss, with a disk that keeps no more than it must: what was not waited for is gone."""

import os
import threading
from pathlib import Path

import pytest

from papergraph.errors import ArchiveError
from papergraph.schema.archive.manifest import FORMAT, Entry, Manifest, Model, manifest_paths
from papergraph.schema.archive.objects import Objects
from papergraph.schema.archive.schedule import last_verified, note_verified

N_OBJECTS = 12


class StingyDisk:
    """Notes what calls of fsync put on disk: contents of files, and the names in folders.

    Attributes:
        states: The files of the watched folder that would be left, with their contents, after each call.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, tuple[int, bool]]] = {}
        self._fsync, self._lock = os.fsync, threading.Lock()
        self.states: list[dict[str, bytes]] = []
        monkeypatch.setattr(os, "fsync", self._keep)

    def _keep(self, opened: int) -> None:
        self._fsync(opened)
        with self._lock:
            path = Path(f"/proc/self/fd/{opened}").resolve()
            number = os.fstat(opened).st_ino
            if path.is_dir():
                self._names[number] = {one.name: (one.inode(), one.is_dir()) for one in os.scandir(path)}
            else:
                self._contents[number] = path.read_bytes()
            self.states.append(dict(self._left(self._root.stat().st_ino, "")))

    def _left(self, folder: int, prefix: str) -> list[tuple[str, bytes]]:
        left = []
        for name, (number, is_folder) in self._names.get(folder, {}).items():
            if is_folder:
                left += self._left(number, f"{prefix}{name}/")
            else:
                left.append((prefix + name, self._contents.get(number, b"")))
        return left


def put_back(state: dict[str, bytes], folder: Path) -> Path:
    for name, content in state.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def take(folder: Path, *, day: int) -> Path:
    """Take a snapshot of things that earlier ones did not have."""
    objects = Objects(folder)
    names = [objects.put(f"object {day} {number}".encode()) for number in range(N_OBJECTS)]
    objects.settle()
    entries = [Entry("paper", f"p{number}", name, None, 1, 0) for number, name in enumerate(names)]
    at = f"2026-11-{day:02}T03:00:00+00:00"
    manifest = Manifest(FORMAT, "0.1", at, 1, [Model("first", "m", "ab", 3, "active")], entries, full_at=at)
    path = manifest.write(folder)
    note_verified(folder, path, manifest)
    return path


def test_no_snapshot_that_is_left_lacks_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    archive = tmp_path / "archive"
    archive.mkdir()
    disk = StingyDisk(archive, monkeypatch)
    ends = []
    for day in (1, 2):
        path = take(archive, day=day)
        ends.append((len(disk.states), path.name))

    for number, state in enumerate(disk.states):
        left = put_back(state, tmp_path / str(number))
        found = [Manifest.read(path) for path in manifest_paths(left)]
        for entry in (entry for manifest in found for entry in manifest.entries):
            assert Objects(left).get(entry.lines)
        kept = {path.name for path in manifest_paths(left)}
        assert {name for end, name in ends if end <= number + 1} <= kept  # what was reported as done
        noted = last_verified(left)
        assert noted is None or noted.snapshot in kept
    assert len(disk.states) > 2 * 2 * N_OBJECTS


def test_the_disk_of_the_test_loses_what_was_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    archive = tmp_path / "archive"
    archive.mkdir()
    disk = StingyDisk(archive, monkeypatch)
    monkeypatch.setattr("papergraph.schema.archive.objects.sync_folder", lambda folder: None)
    objects = Objects(archive)
    name = objects.put(b"content")
    objects.settle()

    left = put_back(disk.states[-1], tmp_path / "left")
    with pytest.raises(ArchiveError, match="is missing"):
        Objects(left).get(name)
