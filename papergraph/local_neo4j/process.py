"""The Java process of a store: its command line, started, remembered in a file, recognised later, and ended."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j.config import Memory, Ports
from papergraph.local_neo4j.home import Home, write_secret
from papergraph.local_neo4j.java import (
    VECTOR_MODULE,
    Java,
    archive_recorded,
    archive_used,
    has_vector_module,
    java_arguments,
)

if TYPE_CHECKING:
    import psutil

SERVER = "org.neo4j.server.Neo4jCommunity"
ADMIN = "org.neo4j.cli.AdminTool"
OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a Java that runs for a second: half the processor time (.9 instead of 1.8 s for the password)."""
PASSWORD_TIMEOUT_S, COPY_TIMEOUT_S = 60.0, 7200.0
LATE_OPTIMISATION = (
    "-XX:Tier4InvocationThreshold=15000",
    "-XX:Tier4MinInvocationThreshold=1800",
    "-XX:Tier4CompileThreshold=45000",
    "-XX:Tier4BackEdgeThreshold=120000",
)
"""Three times the default number of calls before Java optimises a method; figures: docs/design/storage.md."""
KILL_TIMEOUT_S, END_POLL_S, REAPED_WITHIN_S = 30.0, 0.02, 2.0
NOT_CLEAN = "ecover"
"""Part of Neo4j's messages about the store of a killed server: "Please recover database", "requires recovery"."""

TAIL_CHARS = 1500
PR_SET_PDEATHSIG = 1
"""From ``linux/prctl.h``: the signal that a process gets when its parent is gone."""


class UncleanStoreError(LocalNeo4jError):
    """A store whose server was killed: only a start brings it into order."""


@dataclass(frozen=True)
class Record:
    """Content of ``run/server.json``: the last started server."""

    pid: int
    ports: Ports
    version: str
    java: str
    owner_pid: int | None
    """The process that the server ends with; None if it runs until it is stopped."""

    memory: Memory | None = None
    """Its memory; None if unknown."""

    def write(self, file: Path) -> None:
        """Write the whole record or nothing."""
        new = file.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=2) + "\n")
        new.replace(file)

    @classmethod
    def read(cls, file: Path) -> "Record | None":
        """Return what ``file`` says, None if it is missing or unreadable."""
        try:
            fields = json.loads(file.read_text())
            memory = {"memory": Memory(**fields["memory"])} if fields.get("memory") else {}
            return cls(**{**fields, "ports": Ports(**fields["ports"]), **memory})
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def record_file(home: Home) -> Path:
    """Return where the record of ``home`` is kept."""
    return home.run / "server.json"


def stopping_file(home: Home) -> Path:
    """Return where the id of the process of ``home`` stands while a command ends it."""
    return home.run / "stopping"


def find_process(home: Home, record: Record) -> "psutil.Process | None":
    """Return the process of ``record`` if it lives and serves this store.

    Process ids are reused, so the command line decides. The time of creation is unreliable: it changes when the
    machine's clock is set.
    """
    return _server_process(home, record.pid)


def _server_process(home: Home, pid: int) -> "psutil.Process | None":
    import psutil

    try:
        process = psutil.Process(pid)
        command = process.cmdline()  # empty once the process has ended and only waits for its parent to notice
    except psutil.Error:
        return None
    return process if _home_option(home) in command else None


def lost_its_owner(process: "psutil.Process", record: Record) -> bool:
    """Say whether the process that ``process`` was to end with has gone: then it has another parent by now."""
    import psutil

    if record.owner_pid is None:
        return False
    try:
        return process.ppid() != record.owner_pid
    except psutil.NoSuchProcess:
        return True


def end(process: "psutil.Process", *, timeout_s: float) -> None:
    """Ask ``process`` to end, wait for it, and kill it if it has not ended after ``timeout_s`` seconds.

    A process has ended also where its parent, another process of papergraph, has not noticed yet.
    """
    import psutil

    with suppress(psutil.NoSuchProcess):
        process.terminate()
        if not _has_ended(process, within_s=timeout_s):
            process.kill()
            _has_ended(process, within_s=KILL_TIMEOUT_S)
        with suppress(psutil.TimeoutExpired):
            process.wait(REAPED_WITHIN_S)  # a child of this process is noticed here, one of init by init


def _has_ended(process: "psutil.Process", *, within_s: float) -> bool:
    import psutil

    deadline = time.monotonic() + within_s
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(END_POLL_S)
    return True


def set_initial_password(home: Home, java: Java, class_path: Sequence[Path], password: str) -> None:
    """Set the password before the first start, in a file that is gone afterwards: a command line is public.

    Raises:
        LocalNeo4jError: Neo4j's own tool could not do it.
    """
    try:
        command = ["dbms", "set-initial-password", password]
        _run_admin(home, java, class_path, command, timeout_s=PASSWORD_TIMEOUT_S, options=SHORT_LIVED)
    except subprocess.CalledProcessError as error:
        raise LocalNeo4jError(f"Neo4j refused its first password: {error.stdout}{error.stderr}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LocalNeo4jError(f"cannot set the first password with {java.path}: {error}") from error


def dump(home: Home, java: Java, class_path: Sequence[Path], folder: Path) -> None:
    """Write the store of ``home``, which no server may use, into ``neo4j.dump`` in ``folder``.

    Raises:
        UncleanStoreError: Its server was killed; it has to be started and stopped once before.
        LocalNeo4jError: Neo4j's own tool could not do it, for example for want of room.
    """
    command = ["database", "dump", "neo4j", f"--to-path={folder}", "--overwrite-destination=true"]
    try:
        _run_admin(home, java, class_path, command, timeout_s=COPY_TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        said = _last_of(error)
        if NOT_CLEAN in said:
            raise UncleanStoreError(said) from error
        raise LocalNeo4jError(f"cannot dump the store in {home.data} into {folder}: {said}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LocalNeo4jError(f"cannot dump the store in {home.data} into {folder}: {error}") from error


def load(home: Home, java: Java, class_path: Sequence[Path], folder: Path) -> None:
    """Make the store of ``home``, which has none, of ``neo4j.dump`` in ``folder``.

    Raises:
        LocalNeo4jError: Neo4j's own tool could not do it, for example for want of room.
    """
    command = ["database", "load", "neo4j", f"--from-path={folder}", "--overwrite-destination=true"]
    try:
        _run_admin(home, java, class_path, command, timeout_s=COPY_TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        raise LocalNeo4jError(f"cannot load the dump in {folder} into {home.data}: {_last_of(error)}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LocalNeo4jError(f"cannot load the dump in {folder} into {home.data}: {error}") from error


def _run_admin(
    home: Home,
    java: Java,
    class_path: Sequence[Path],
    arguments: Sequence[str],
    *,
    timeout_s: float,
    options: Sequence[str] = (),
) -> None:
    """Run Neo4j's own tool to its end; it ends with the thread that calls.

    Its arguments are in a file, which is gone afterwards: a command line is public.
    """
    java_options, told = home.run / "admin.args", home.run / "told.args"
    java_options.write_text(java_arguments([*options, *archive_used(java, class_path), "-cp", _joined(class_path)]))
    told.unlink(missing_ok=True)
    write_secret(told, "".join(f"{_quoted(argument)}\n" for argument in arguments))
    try:
        subprocess.run(  # noqa: S603 - the Java that was found
            [java.path, f"@{java_options}", ADMIN, f"@{told}"],
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=True,
            start_new_session=True,
            preexec_fn=_end_with_parent(),
        )
    finally:
        told.unlink(missing_ok=True)


def _last_of(error: subprocess.CalledProcessError) -> str:
    """Return the end of what Neo4j's tool said, in one line."""
    lines = f"{error.stdout}\n{error.stderr}".splitlines()
    return " ".join(line.strip() for line in lines if line.strip())[-TAIL_CHARS:] or f"status {error.returncode}"


def spawn(home: Home, java: Java, class_path: Sequence[Path], *, memory: Memory, owned: bool) -> int:
    """Start the server of ``home`` and return its process id.

    It has a session of its own: Ctrl-C in a terminal is not for the database.

    Args:
        home: Its store; ``neo4j.conf`` is written already.
        java: What runs it.
        class_path: All jars.
        memory: Size of the heap.
        owned: Whether the server ends with this process, even when this process is killed. Elsewhere than on Linux it
            then has to be stopped.

    Raises:
        LocalNeo4jError: Java cannot be run.
    """
    options = _java_options_file(home)
    modules = [f"--add-modules={VECTOR_MODULE}"] if has_vector_module(java.path) else []
    archive = archive_used(java, class_path) or archive_recorded(java, class_path, home.run, modules)
    all_options = [*_java_options(home, java, memory), *modules, *archive, "-cp", _joined(class_path)]
    options.write_text(java_arguments(all_options))
    command = [str(java.path), f"@{options}", SERVER, _home_option(home), f"--config-dir={home.conf}"]
    with (home.logs / "console.log").open("wb") as console:
        try:
            process = _in_lasting_thread(
                lambda: subprocess.Popen(  # noqa: S603
                    command,
                    cwd=home.root,
                    env=_environment(home),
                    stdin=subprocess.DEVNULL,
                    stdout=console,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=_end_with_parent() if owned else None,
                )
            )
        except OSError as error:
            raise LocalNeo4jError(f"cannot run {java.path}: {error}") from error
    while process.poll() is None and _server_process(home, process.pid) is None:
        time.sleep(0.01)  # for a moment after a program has begun, Linux does not show its command line yet
    return process.pid


def started_at(home: Home) -> float:
    """Return when the last server was started, as a time stamp on the disk that its logs lie on."""
    return _java_options_file(home).stat().st_mtime


def _in_lasting_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Start a process from a thread that lives as long as it does.

    For Linux the "parent" that an owned process ends with is the thread that started it, not the program; the caller's
    may be a short-lived worker. The thread also notices when the process ends, so that it leaves no zombie.
    """
    outcome: SimpleQueue[subprocess.Popen[bytes] | Exception] = SimpleQueue()

    def keep() -> None:
        try:
            process = start()
        except Exception as error:
            outcome.put(error)
            return
        outcome.put(process)
        process.wait()

    threading.Thread(target=keep, name="papergraph-neo4j", daemon=True).start()
    result = outcome.get()
    if isinstance(result, Exception):
        raise result
    return result


def _end_with_parent() -> Callable[[], None] | None:
    """Return what the child has to do between fork and exec, where nothing can be imported or loaded any more."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask_for_signal() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it went before the signal was asked for
            os._exit(1)

    return ask_for_signal


def _java_options(home: Home, java: Java, memory: Memory) -> list[str]:
    return [
        f"-Xms{memory.heap_mb}m",
        f"-Xmx{memory.heap_mb}m",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",  # a database that ran out of memory cannot be trusted
        "-XX:-OmitStackTraceInFastThrow",
        f"-XX:ErrorFile={home.logs / 'java-crash.log'}",
        "-Dfile.encoding=UTF-8",
        "-Dlog4j2.disable.jmx=true",
        "--enable-native-access=ALL-UNNAMED",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
        *(["--sun-misc-unsafe-memory-access=allow"] if java.version >= 23 else []),
        *LATE_OPTIMISATION,
    ]


def _java_options_file(home: Home) -> Path:
    return home.run / "java.args"


def _home_option(home: Home) -> str:
    return f"--home-dir={home.root}"


def _joined(class_path: Sequence[Path]) -> str:
    return os.pathsep.join(str(jar) for jar in class_path)


def _quoted(argument: str) -> str:
    """Quote an argument for an argument file of picocli, which otherwise splits it at spaces."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _environment(home: Home) -> dict[str, str]:
    """Return the environment of the server; with another locale than UTF-8, Java could not open a home with an é."""
    return {**os.environ, "NEO4J_HOME": str(home.root), "NEO4J_CONF": str(home.conf), "LC_ALL": "C.UTF-8"}
