"""The classes of Neo4j in the form that Java has them in memory, kept in a file beside the jars.

A start that maps this file reads, checks and links none of the 15,000 classes that it needs. Java writes it at the end
of a first run (JEP 514), so the first server that is stopped makes it for all later ones. It holds classes and nothing
of a store. Java compares it with its own build, the class path and the jars, and does without it where they differ.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from papergraph.local_neo4j.java import Java, told_by

OLDEST = 25
"""The first Java that makes an archive in one run."""

N_KEPT = 3
"""Archives of as many Javas are kept; each has some 100 MB."""


def reading(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive; none where there is no whole one."""
    archive = archive_file(java, class_path)
    return [f"-XX:AOTCache={archive}"] if archive is not None and _is_whole(archive) else []


def reading_or_writing(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive, or write it at its end where there is none."""
    if options := reading(java, class_path):
        return options
    archive = archive_file(java, class_path)
    if archive is None or not os.access(archive.parent, os.W_OK):
        return []
    with suppress(OSError):
        others = sorted(archive.parent.glob("classes-*.aot"), key=lambda one: one.stat().st_mtime)
        for old in others[: max(0, len(others) - N_KEPT + 1)]:
            old.unlink()
    return [f"-XX:AOTCacheOutput={archive}"]


def archive_file(java: Java, class_path: Sequence[Path]) -> Path | None:
    """Return where the archive of a Java and these jars belongs: in the folder above that of the first jar.

    It has another name for another Java, and for jars that were moved or fetched again: Java would refuse it.
    """
    if java.version < OLDEST or not class_path:
        return None
    libraries = (java.path.resolve().parents[1] / "lib" / "server").glob("libjvm.*")
    try:
        machine = [library.stat().st_size for library in libraries]
        jars = [(str(jar), (found := jar.stat()).st_size, found.st_mtime_ns) for jar in class_path]
    except OSError:
        return None
    if not machine:
        return None
    made_of = repr((sorted(told_by(java.path).items()), machine, jars))
    return class_path[0].parents[1] / f"classes-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.aot"


def _is_whole(archive: Path) -> bool:
    """Say whether an archive was written to its end: its first bytes are written last."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except OSError:
        return False
