"""Content of an archive: immutable objects named by their sha-256, with nodes and relationships as lines of JSON."""

import hashlib
import json
import os
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from neo4j.time import Date, DateTime

import papergraph.neo4j_import  # noqa: F401 - before the driver
from papergraph.errors import ArchiveError
from papergraph.schema import model

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
        """Store content and return its name; it is durable after :meth:`settle`.

        A durable file waits for the disk twice; threads wait for several files at once.

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
    """Write a file atomically and durably.

    Raises:
        OSError: Writing failed.
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


# isort: split


LABELS = tuple(node.label for node in model.NODES)
ARRAYS = ("embedding", "secondEmbedding", "centroid")
"""Properties that are long lists of numbers, kept beside the lines."""

REVISION = "revision"
"""Property of papers that says whether they changed, and is no content: the same paper has another one elsewhere."""

_DATETIME, _DATE = "$datetime", "$date"


@dataclass
class Part:
    """A part of a graph: nodes with the relationships that belong to them.

    Attributes:
        nodes: Each with ``label``, ``labels``, ``id`` and ``properties``.
        relationships: Each with ``type``, ``start`` and ``end`` (label and id) and ``properties``.
        arrays: Numbers of each node by property, under label, id and property.
    """

    nodes: list[dict[str, Any]] = field(default_factory=list)
    relationships: list[dict[str, Any]] = field(default_factory=list)
    arrays: dict[tuple[str, str, str], list[float]] = field(default_factory=dict)

    def add_node(self, id: str, labels: Sequence[str], properties: dict[str, Any]) -> None:
        """Add a node as a query of ``cypher/archive`` returns it; takes ``properties`` over."""
        label = label_of(labels)
        if label == "Paper":
            properties.pop(REVISION, None)
        for name in ARRAYS:
            if (numbers := properties.pop(name, None)) is not None:
                self.arrays[label, id, name] = numbers
        written = {name: _written(value) for name, value in properties.items()}
        self.nodes.append({"label": label, "labels": sorted(labels), "id": id, "properties": written})

    def add_relationship(
        self,
        type: str,
        start_labels: Sequence[str],
        start_id: str,
        end_labels: Sequence[str],
        end_id: str,
        properties: Mapping[str, Any],
    ) -> None:
        """Add a relationship as a query of ``cypher/archive`` returns it."""
        self.relationships.append(
            {
                "type": type,
                "start": [label_of(start_labels), start_id],
                "end": [label_of(end_labels), end_id],
                "properties": {name: _written(value) for name, value in properties.items()},
            }
        )

    def lines(self) -> bytes:
        """Return nodes and relationships as lines of JSON in one order, whatever order they came in."""
        said = [["node", one] for one in self.nodes] + [["relationship", one] for one in self.relationships]
        lines = (json.dumps(one, sort_keys=True, ensure_ascii=False, separators=(",", ":")) for one in said)
        return "".join(f"{line}\n" for line in sorted(lines)).encode()

    def numbers(self) -> bytes:
        """Return all arrays: a line of JSON with the owner, length and type of each, then their numbers.

        Arrays are little-endian, with 4 bytes a number if all are exact in 4 bytes, else with 8.
        """
        head, parts = [], []
        for key, numbers in sorted(self.arrays.items()):
            exact = np.asarray(numbers, dtype="<f8")
            short = exact.astype("<f4")
            chosen = short if np.array_equal(short.astype("<f8"), exact) else exact
            head.append([*key, len(numbers), chosen.dtype.str])
            parts.append(chosen.tobytes())
        return b"".join([json.dumps(head, separators=(",", ":")).encode(), b"\n", *parts])

    @classmethod
    def read(cls, lines: bytes, numbers: bytes | None) -> "Part":
        """Return the part of what :meth:`lines` and :meth:`numbers` gave.

        Raises:
            ArchiveError: It is not of this form.
        """
        part = cls()
        try:
            for line in lines.decode().split("\n")[:-1]:  # texts hold other ends of lines, such as U+2028
                kind, one = json.loads(line)
                (part.nodes if kind == "node" else part.relationships).append(one)
            for (label, id, name), values in _arrays(b"[]\n" if numbers is None else numbers):
                part.arrays[label, id, name] = values
        except (ValueError, TypeError, KeyError) as error:
            raise ArchiveError(f"an object of the archive has another form than this version knows: {error}") from error
        return part

    def node_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the nodes with all of their properties, as ``archive/write_nodes`` takes them."""
        arrays: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
        for (label, id, name), numbers in self.arrays.items():
            arrays[label, id][name] = numbers
        for node in self.nodes:
            properties = {name: _read(value) for name, value in node["properties"].items()}
            yield {
                "label": node["label"],
                "labels": node["labels"],
                "properties": properties | arrays[node["label"], node["id"]],
            }

    def relationship_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the relationships as ``archive/write_relationships`` takes them."""
        for one in self.relationships:
            yield {
                "start_label": one["start"][0],
                "start_id": one["start"][1],
                "end_label": one["end"][0],
                "end_id": one["end"][1],
                "type": one["type"],
                "properties": {name: _read(value) for name, value in one["properties"].items()},
            }


def label_of(labels: Iterable[str]) -> str:
    """Return the label of the model among the labels of a node, or its first one by alphabet."""
    return _label_of(tuple(labels))


@cache
def _label_of(labels: tuple[str, ...]) -> str:
    among = sorted(labels)
    return next((label for label in LABELS if label in among), among[0] if among else "")


def key_of(label: str, id: str) -> str:
    """Return what names a node among all."""
    return f"{label} {id}"


def _arrays(content: bytes) -> Iterator[tuple[Sequence[str], list[float]]]:
    first, _, rest = content.partition(b"\n")
    at = 0
    for *key, length, kind in json.loads(first):
        numbers = np.frombuffer(rest, dtype=np.dtype(kind), count=length, offset=at)
        at += numbers.nbytes
        yield key, numbers.astype(np.float64).tolist()
    if at != len(rest):
        raise ValueError("numbers of nobody")


def _written(value: Any) -> Any:
    if isinstance(value, DateTime):
        return {_DATETIME: value.iso_format()}
    if isinstance(value, Date):
        return {_DATE: value.iso_format()}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    raise ArchiveError(f"a property of the store has a value that an archive cannot hold: {type(value).__name__}")


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        ((kind, text),) = value.items()
        if kind == _DATE:
            return Date.from_iso_format(text)
        at = DateTime.from_iso_format(text)
        # the driver reads +00:00 as the named zone UTC, which Neo4j keeps apart from Z, the zone of datetime()
        return at.replace(tzinfo=UTC) if text.endswith("+00:00") else at
    return [_read(one) for one in value] if isinstance(value, list) else value
