"""Verify a snapshot: every object is there and is what its name says, and every relationship has both ends."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from papergraph.errors import ArchiveError
from papergraph.progress import Progress, silent
from schema.archive.manifest import Manifest, read_part
from schema.archive.objects import Objects, Part, key_of

MOST_FAULTS = 1000


@dataclass(frozen=True)
class Verified:
    """What was found of a snapshot.

    Attributes:
        n_objects: Objects that were read.
        faults: What is wrong, in words, each with its file; at most 1,000.
    """

    n_objects: int
    faults: tuple[str, ...]


def verify(folder: Path, manifest: Manifest, *, progress: Progress = silent) -> Verified:
    """Read every object of a snapshot, and return what is wrong with them; nothing is changed.

    Memory is in proportion to the number of nodes, 16 bytes each.

    Args:
        folder: The archive.
        manifest: The snapshot.
        progress: Hears how far it is.
    """
    objects = Objects(folder)
    faults: list[str] = []
    nodes: set[bytes] = set()
    n_objects = 0
    for number, (entry, part) in enumerate(_readable(objects, manifest, faults)):
        n_objects += len(entry)
        if part is not None:
            nodes |= {_short(key_of(node["label"], node["id"])) for node in part.nodes}
        progress.step(f"{number + 1:,} of {len(manifest.entries):,} parts")
    if not faults:
        for _, part in _readable(objects, manifest, faults):
            faults += _loose_ends(part, nodes) if part is not None else []
    return Verified(n_objects, tuple(faults[:MOST_FAULTS]))


def _readable(objects: Objects, manifest: Manifest, faults: list[str]) -> Iterator[tuple[tuple[str, ...], Part | None]]:
    for entry in manifest.entries:
        try:
            part = read_part(objects, entry)
        except ArchiveError as error:
            faults.append(f"{entry.kind} {entry.name}: {error}")
            yield entry.objects, None
            continue
        if (len(part.nodes), len(part.relationships)) != (entry.n_nodes, entry.n_relationships):
            faults.append(f"{entry.kind} {entry.name}: its object holds another number of nodes or relationships")
        yield entry.objects, part


def _loose_ends(part: Part, nodes: set[bytes]) -> list[str]:
    return [
        f"an end of {one['type']} from {' '.join(one['start'])} to {' '.join(one['end'])} is not there"
        for one in part.relationships
        if not {_short(key_of(*one["start"])), _short(key_of(*one["end"]))} <= nodes
    ]


def _short(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()[:16]
