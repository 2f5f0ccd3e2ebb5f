"""Folders that a long search or crawl fills: one request and one process each, and never in between two states."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from papergraph.errors import InputError

LOCK = ".lock"
MANY, LARGE_SHARE = 25, 0.25
"""Number and share of things that together are too many to be deleted without a question."""


@dataclass
class State:
    """Request and progress of a folder.

    Attributes:
        path: File of the state.
        request: The request; a folder belongs to one.
        values: Progress.
    """

    path: Path
    request: Mapping[str, Any]
    values: dict[str, Any] = field(default_factory=dict)

    def note(self, **values: Any) -> None:
        """Note how far it is; the file holds the old state or the new one."""
        self.values |= values
        replace_file(self.path, [json.dumps({"request": self.request, **self.values}, ensure_ascii=False).encode()])


@contextmanager
def claimed(folder: Path, request: Mapping[str, Any], *, state: str) -> Iterator[State]:
    """Hold a folder for a request, made if missing, with the state that an earlier call left in the file ``state``.

    Raises:
        InputError: It belongs to another request or process, holds other things, or cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / state).exists() and any(not each.name.startswith(".") for each in folder.iterdir()):
            raise InputError(f"{folder} contains other files. Name a new or an empty folder.", field="into")
        with FileLock(folder / LOCK, timeout=0, thread_local=False, fallback_to_soft=False):
            yield _read(folder / state, request)
    except Timeout as error:
        raise InputError(
            f"Another process uses {folder}. Wait for it, or name another folder.", field="into"
        ) from error
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be used: {error.strerror}", field="into") from error


def _read(path: Path, request: Mapping[str, Any]) -> State:
    state = State(path, request)
    if path.exists():
        try:
            values = json.loads(path.read_bytes())
            belongs_to = values.pop("request")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not ours; name another folder", field="into") from error
        if belongs_to != request:
            other = ", ".join(f"{name} {value!r}" for name, value in belongs_to.items())
            raise InputError(
                f"{path.parent} holds papers of another request ({other}); name another folder", field="into"
            )
        state.values = values
    state.note()
    return state


@dataclass
class Records:
    """A file of JSON, a line each, to which lines are appended; of those with one key the last one counts.

    Attributes:
        path: The file.
        key: Name of the field that tells records apart.
        by_key: The records, in the order in which each key came first.
        n_lines: Lines of the file.
    """

    path: Path
    key: str
    by_key: dict[str, dict[str, Any]] = field(default_factory=dict)
    n_lines: int = 0

    @classmethod
    def read(cls, path: Path, *, key: str) -> "Records":
        """Read a file if it exists; an incomplete last line of a killed process is cut off.

        Raises:
            InputError: A line is malformed.
        """
        records = cls(path, key)
        if not path.exists():
            return records
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(path, len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                record = json.loads(line)
                records.by_key[record[key]] = record
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path}, line {number}, is not ours; name another folder", field="into") from error
            records.n_lines = number
        return records

    def put(self, record: dict[str, Any]) -> None:
        """Take a record in, in place of an older one with its key."""
        self.by_key[record[self.key]] = record
        self.n_lines += 1
        with self.path.open("ab") as file:
            file.write(_line(record))

    def keep_only(self, keys: Iterable[str]) -> None:
        """Leave one line each for these keys, in their order, and nothing else."""
        kept = {key: self.by_key[key] for key in keys}
        if self.n_lines == len(kept) and list(kept) == list(self.by_key):
            return
        replace_file(self.path, [_line(record) for record in kept.values()])
        self.by_key, self.n_lines = kept, len(kept)


def are_too_many(n: int, n_all: int, *, accepted: int) -> bool:
    """Say whether ``n`` of ``n_all`` things are too many to be deleted; a person agreed to ``accepted``."""
    return n >= MANY and n >= LARGE_SHARE * n_all and n > accepted


def replace_file(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file atomically."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
