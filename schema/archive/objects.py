"""Objects of an archive: immutable files named by the sha-256 of their content, compressed with zstd."""

import hashlib
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from papergraph.errors import ArchiveError

LARGEST = 2_000_000_000
"""Most bytes that an object may have when it is decompressed."""

WRITERS, MOST_WAITING = 8, 32
"""Threads that write objects, and how many objects are in memory at most until they are on disk."""

PIECE = 1 << 20
_UNFINISHED = "unfinished"


class Objects:
    """The objects below the folder of an archive; several processes may add to them at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "objects"
        self._unfinished = folder / _UNFINISHED
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="objects")
        self._writing: dict[str, Future[int]] = {}
        self._sizes: list[int] = []

    def path(self, name: str) -> Path:
        """Return where the object of a name is, or would be."""
        return self._folder / name[:2] / f"{name[2:]}.zst"

    def names(self) -> Iterator[str]:
        """Yield the names of all objects, in order."""
        for path in sorted(self._folder.glob("[0-9a-f][0-9a-f]/*.zst")):
            yield path.parent.name + path.stem

    def put(self, content: bytes) -> str:
        """Keep content, and return its name; it is on disk after :meth:`settle`.

        A file is there only when it waited for the disk twice; threads wait for several at once.

        Raises:
            ArchiveError: An object before this one could not be written.
        """
        name = hashlib.sha256(content).hexdigest()
        if name not in self._writing and not self.path(name).exists():
            if len(self._writing) >= MOST_WAITING:
                self._collect(FIRST_COMPLETED)
            self._writing[name] = self._writers.submit(self._write, name, content)
        return name

    def settle(self) -> tuple[int, int]:
        """Wait until all is on disk; return how many objects were new since the last call, and their bytes.

        Raises:
            ArchiveError: The folder cannot be written.
        """
        self._collect(ALL_COMPLETED)
        if self._sizes:
            try:
                sync_folder(self._folder)
                sync_folder(self._folder.parent)
            except OSError as error:
                raise ArchiveError(
                    f"{self._folder} cannot be written: {error.strerror or error}", path=self._folder
                ) from error
        n, size = len(self._sizes), sum(self._sizes)
        self._sizes.clear()
        return n, size

    def _collect(self, until: str) -> None:
        done, _ = wait(self._writing.values(), return_when=until)
        for name in [name for name, written in self._writing.items() if written in done]:
            self._sizes.append(self._writing.pop(name).result())

    def _write(self, name: str, content: bytes) -> int:
        path, packed = self.path(name), compressed(content)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, packed, self._unfinished)
        except OSError as error:
            raise ArchiveError(f"{path} cannot be written: {error.strerror or error}", path=path) from error
        return len(packed)

    def get(self, name: str) -> bytes:
        """Return the content of an object.

        Raises:
            ArchiveError: It is missing, cannot be read, or is not what its name says.
        """
        path = self.path(name)
        try:
            content = decompressed(path)
        except OSError as error:
            what = "is missing" if not path.exists() else f"cannot be read: {error.strerror or error}"
            raise ArchiveError(f"the object {path} {what}", path=path) from error
        if hashlib.sha256(content).hexdigest() != name:
            raise ArchiveError(f"the object {path} is damaged: its content is not what its name says", path=path)
        return content

    def delete(self, name: str) -> int:
        """Delete an object, and return how many bytes that frees."""
        path = self.path(name)
        size = path.stat().st_size
        path.unlink()
        return size

    def clear_unfinished(self) -> None:
        """Delete what processes that died left half written."""
        for path in self._unfinished.glob("*"):
            path.unlink(missing_ok=True)


def compressed(content: bytes) -> bytes:
    """Return content as a frame of zstd; equal content gives equal bytes."""
    import pyarrow as pa

    packed: bytes = pa.Codec("zstd").compress(content, asbytes=True)
    return packed


def decompressed(path: Path) -> bytes:
    """Return the content of a file of zstd, of at most 2 GB.

    Raises:
        OSError: It cannot be read, or is no zstd.
    """
    import pyarrow as pa

    parts, size = [], 0
    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, "zstd") as stream:
        while part := stream.read(PIECE):
            size += len(part)
            if size > LARGEST:
                raise OSError(f"more than {LARGEST:,} bytes")
            parts.append(part)
    return b"".join(parts)


def write_whole(path: Path, content: bytes, unfinished: Path) -> None:
    """Write a file so that it is there whole, and stays there when the machine stops, or not at all.

    Raises:
        OSError: It cannot be written.
    """
    unfinished.mkdir(parents=True, exist_ok=True)
    new = unfinished / uuid.uuid4().hex
    try:
        with new.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder stay there when the machine stops.

    Raises:
        OSError: The folder cannot be read, or the disk failed.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
