"""Child process that reads one document within limits of time and memory, seen from its parent."""

import json
import logging
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from tempfile import TemporaryFile
from typing import Any

from papergraph.errors import Reason

CHILD = "papergraph.ingest.parsers.sandbox_child"
log = logging.getLogger(__name__)

_children: set["subprocess.Popen[bytes]"] = set()

POLL_S = 0.5


def _never() -> bool:
    return False


abandoned: ContextVar[Callable[[], bool]] = ContextVar("abandoned", default=_never)
"""Returns True once the result of a child is not needed any more, such as after its job was cancelled."""


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one file.

    Attributes:
        seconds: Processor time of the child process.
        wall_seconds: Wall time of it, far longer, since a busy machine gives it a part of a processor.
        memory_bytes: Largest address space.
        pages: Most pages.
        characters: Most characters of text.
        stream_bytes: Longest stream of the file once unpacked, images aside.
        output_bytes: Longest answer, as JSON.
        program_memory_bytes: Address space of a program that the child runs; 0 for children without programs.
        program_output_bytes: Longest file that such a program writes.
    """

    seconds: float = 50.0
    wall_seconds: float = 600.0
    memory_bytes: int = 1 << 30
    pages: int = 2_000
    characters: int = 10_000_000
    stream_bytes: int = 200_000_000
    output_bytes: int = 100_000_000
    program_memory_bytes: int = 0
    program_output_bytes: int = 0


class RefusedError(Exception):
    """A document that cannot become a paper; crosses to the parent process as its reason and detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def run_child(task: str, limits: SandboxLimits, data: bytes, *arguments: str) -> Any:
    """Return the result of a task of the child process, as JSON.

    Args:
        task: One of :data:`papergraph.ingest.parsers.sandbox_child.TASKS`.
        limits: Limits of the process.
        data: Its standard input.
        arguments: Arguments of the task.

    Raises:
        RefusedError: The document cannot become a paper, took too long or too much memory, or made the process crash.
    """
    command = [sys.executable, "-I", "-m", CHILD, json.dumps(asdict(limits)), task, *arguments]
    done = _completed(command, limits, data)
    if done.returncode in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL):
        told = f"needs more than {limits.seconds:g} s of processor time; split it or print it to a new file"
        raise RefusedError(Reason.OUT_OF_TIME, told)
    if done.returncode in (-signal.SIGINT, -signal.SIGTERM):
        raise _interrupted()
    if done.returncode == -signal.SIGABRT:  # how PDFium and the C++ library end when they get no more memory
        raise _out_of_memory(limits.memory_bytes)
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise RefusedError(Reason.DAMAGED, f"made its reader crash ({name}); print it to a new file")
    if done.returncode > 0:
        errors = done.stderr.decode(errors="replace")
        if any(sign in errors for sign in OUT_OF_MEMORY):
            raise _out_of_memory(limits.memory_bytes)
        kind = re.match(r"\w*", errors.strip().rpartition("\n")[2])  # the rest may quote the document
        log.warning("a reader of documents ended with status %s: %s", done.returncode, kind and kind[0])
        raise RefusedError(Reason.DAMAGED, "cannot be read: its reader failed; print it to a new file")
    answer = json.loads(done.stdout)
    if refusal := answer.get("refusal"):
        raise RefusedError(Reason(refusal["reason"]), refusal["detail"])
    return answer["reading"]


def _completed(command: list[str], limits: SandboxLimits, data: bytes) -> subprocess.CompletedProcess[bytes]:
    pipe = subprocess.PIPE
    with TemporaryFile() as file:  # of a pipe, the rest would not be sent after a timeout of communicate()
        file.write(data)
        file.seek(0)
        child = subprocess.Popen(command, stdin=file, stdout=pipe, stderr=pipe)  # noqa: S603
    with child:
        _children.add(child)
        try:
            written, errors = _answer(child, limits)
        finally:
            child.kill()
            _children.discard(child)
    return subprocess.CompletedProcess(command, child.returncode, written, errors)


def _answer(child: "subprocess.Popen[bytes]", limits: SandboxLimits) -> tuple[bytes, bytes]:
    """Return the output of a child within its time, unless it is abandoned before."""
    end, is_abandoned = time.monotonic() + limits.wall_seconds, abandoned.get()
    while True:
        try:
            return child.communicate(timeout=max(0.0, min(POLL_S, end - time.monotonic())))
        except subprocess.TimeoutExpired as error:
            if time.monotonic() >= end:
                told = f"was not read within {limits.wall_seconds:g} s, because the machine is busy; ingest it again"
                raise RefusedError(Reason.OUT_OF_TIME, told) from error
            if is_abandoned():
                raise _interrupted() from error


def end_children() -> None:
    """Kill all child processes of this process; pending requests to them fail."""
    for child in list(_children):
        child.kill()


OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "failed to map segment", "cannot allocate memory")
"""Last words of a child that got no more memory, also while it imported a library."""


def _out_of_memory(memory_bytes: int) -> RefusedError:
    """Return the refusal of a file that needs more memory than it may have."""
    return RefusedError(
        Reason.OUT_OF_MEMORY,
        f"needs more than {memory_bytes >> 20:,} MiB to be read; split it or print it to a new file",
    )


def _interrupted() -> RefusedError:
    return RefusedError(Reason.UNREADABLE, "reading it was interrupted; ingest it again")
